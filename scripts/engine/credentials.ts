import { Credentials, getAdditionalKeys } from 'n8n-core';
import { ICredentialsHelper, NodeHelpers, UserError, Workflow } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IExecuteData,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	INodeParameters,
	INodeProperties,
	IRequestOptionsSimplified,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { installedCredential } from './packages';

type Secrets = ICredentialDataDecryptedObject;

/**
 * Credentials as n8n's server hands them to nodes, without a database: the data is given by type name,
 * defaults and expressions of the credential class are applied, and its `authenticate` signs requests.
 */
export class EngineCredentials extends ICredentialsHelper {
	constructor(
		private readonly types: Record<string, ICredentialType>,
		private readonly data: Record<string, Secrets>,
		private readonly hostWorkflow: () => Workflow,
	) {
		super();
	}

	getParentTypes(name: string): string[] {
		return (this.type(name).extends ?? []).flatMap((parent) => [
			parent,
			...this.getParentTypes(parent),
		]);
	}

	isCredentialUsableByNode(name: string, nodeType: string): boolean {
		const { restrictToSupportedNodes, supportedNodes } = this.type(name);
		return restrictToSupportedNodes !== true || (supportedNodes ?? []).includes(nodeType);
	}

	getCredentialsProperties(name: string): INodeProperties[] {
		const type = this.type(name);
		const merged: INodeProperties[] = [];
		for (const parent of type.extends ?? []) {
			NodeHelpers.mergeNodeProperties(merged, this.getCredentialsProperties(parent));
		}
		NodeHelpers.mergeNodeProperties(merged, type.properties);
		return merged;
	}

	async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		details: INodeCredentialsDetails,
		name: string,
		mode: WorkflowExecuteMode,
		_executeData?: IExecuteData,
		raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
	): Promise<Secrets> {
		const stored = this.stored(name, details);
		if (raw === true) return stored;
		const withDefaults = NodeHelpers.getNodeParameters(
			this.getCredentialsProperties(name),
			stored as INodeParameters,
			true,
			false,
			null,
			null,
		) as Secrets;
		if (stored.oauthTokenData !== undefined) withDefaults.oauthTokenData = stored.oauthTokenData;
		const keys = getAdditionalKeys(additionalData, mode, resolve?.runExecutionData ?? null);
		if (resolve === undefined) {
			const { expression } = this.hostWorkflow();
			const nowhere = {
				id: '',
				name: '',
				type: '',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			} as INode;
			return expression.getComplexParameterValue(
				nowhere,
				withDefaults as INodeParameters,
				mode,
				keys,
			) as Secrets;
		}
		return resolve.workflow.expression.getParameterValue(
			withDefaults as INodeParameters,
			resolve.runExecutionData,
			resolve.runIndex,
			resolve.itemIndex,
			resolve.node.name,
			resolve.connectionInputData,
			mode,
			keys,
			undefined,
			false,
			withDefaults,
		) as Secrets;
	}

	async authenticate(
		credentials: Secrets,
		name: string,
		incoming: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow: Workflow = this.hostWorkflow(),
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const options = incoming as IHttpRequestOptions;
		const { authenticate } = this.type(name);
		if (authenticate === undefined) return options;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		if (node === undefined) throw new UserError('Declarative authentication needs a node');

		const resolve = (value: string): string =>
			String(
				workflow.expression.getSimpleParameterValue(
					node,
					value,
					'internal',
					{ $credentials: credentials },
					undefined,
					'',
				) ?? '',
			);
		const target = options as unknown as Record<string, Record<string, unknown>>;
		for (const [part, fields] of Object.entries(authenticate.properties)) {
			const resolved = Object.entries(fields as Record<string, string>).map(
				([key, value]) => [resolve(key), resolve(value)] as const,
			);
			target[part] = { ...target[part], ...Object.fromEntries(resolved) };
		}
		return options;
	}

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: Secrets,
		name: string,
		_node: INode,
		expired: boolean,
	): Promise<Secrets | undefined> {
		const token = this.type(name).properties.find(
			({ type, typeOptions }) => type === 'hidden' && typeOptions?.expirable === true,
		);
		if (token === undefined || (credentials[token.name] !== '' && !expired)) return undefined;
		const fresh = await this.runPreAuthentication(helpers, credentials, name);
		if (fresh?.[token.name] === undefined) return undefined;
		this.data[name] = { ...this.data[name], ...fresh };
		return Object.assign(credentials, fresh);
	}

	async runPreAuthentication(
		helpers: IHttpRequestHelper,
		credentials: Secrets,
		name: string,
	): Promise<Secrets | undefined> {
		const { preAuthentication } = this.type(name);
		return (await preAuthentication?.call(helpers, credentials)) as Secrets | undefined;
	}

	async getCredentials(details: INodeCredentialsDetails, name: string): Promise<ICredentials> {
		const credentials = new Credentials({ id: details.id, name: details.name }, name);
		await credentials.setData(this.stored(name, details));
		return credentials;
	}

	async updateCredentials(
		_details: INodeCredentialsDetails,
		name: string,
		data: Secrets,
	): Promise<void> {
		this.data[name] = { ...data };
	}

	async updateCredentialsOauthTokenData(
		_d: INodeCredentialsDetails,
		name: string,
		data: Secrets,
	): Promise<void> {
		this.data[name] = { ...this.data[name], oauthTokenData: data.oauthTokenData ?? data };
	}

	private stored(name: string, details: INodeCredentialsDetails): Secrets {
		const stored = this.data[name];
		if (stored === undefined) {
			throw new UserError(
				`Credential "${details.name}" of type "${name}" does not exist: hand its data to runWorkflow in credentials`,
			);
		}
		return { ...stored };
	}

	private type(name: string): ICredentialType {
		const type = (this.types[name] ??= installedCredential(name) as ICredentialType);
		if (type === undefined) {
			throw new UserError(
				`Unknown credential type "${name}": hand its class to runWorkflow in credentialTypes`,
			);
		}
		return type;
	}
}
