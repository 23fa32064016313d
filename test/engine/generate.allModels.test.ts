import type { IDataObject } from 'n8n-workflow';
import type { Field, Media } from '../../nodes/catalog/families';
import { getParameter } from '../../nodes/catalog/labels';
import { listServedModels } from '../../nodes/catalog/modelList';
import { findModelSpec, type KnownModelSpec } from '../../nodes/catalog/modelSpec';
import { validate } from '../../nodes/catalog/validate';
import { isPrimary, isVisible } from '../../nodes/catalog/visibility';
import { validValue } from '../support/fieldSamples';
import { modelId, NODE, useGateway } from '../support/gateway';
import { minimalBodies, type Body } from '../support/requestBodies';

const gateway = useGateway();

const panels = (['image', 'video'] as const).flatMap((media) =>
	listServedModels(media).flatMap(({ id: model }) =>
		findModelSpec(model)!.actions.map((action) => ({ media, model, action })),
	),
);

/** What the action needs, and every other field of the panel that goes with what is there. */
function fillBody(spec: KnownModelSpec, action: string): Body {
	let body = minimalBodies(spec).find((minimal) => minimal.action === action)!;
	for (const [name, field] of Object.entries(spec.fields)) {
		if (name in body || !isVisible(spec, name, action)) continue;
		const more = { ...body, [name]: validValue(field) };
		const { issues, warnings } = validate(spec, more);
		if (!issues.length && !warnings.length) body = more;
	}
	return { ...body, extra: { style: 'sketch' } };
}

/** As n8n stores the value. */
function toStored(value: unknown, { type, items, maxItems }: Field, isOpen: boolean): unknown {
	if (type !== 'objects') return value;
	if (!items || isOpen) return JSON.stringify(value);
	const list = value as object[];
	return { entry: maxItems === 1 ? list[0] : list };
}

function toParameters(spec: KnownModelSpec, { extra, ...body }: Body): IDataObject {
	const stored = Object.entries(body).map(([name, value]) => ({
		isTop: name === 'action' || isPrimary(spec, name),
		entry: [
			getParameter(name, spec.fields[name]),
			toStored(value, spec.fields[name]!, spec.open),
		] as const,
	}));
	const of = (isTop: boolean) =>
		Object.fromEntries(stored.filter((each) => each.isTop === isTop).map(({ entry }) => entry));
	return { ...of(true), additionalFields: { ...of(false), extra: JSON.stringify(extra) } };
}

/** The sandbox extends a video that it has made. */
async function createVideo(model: string): Promise<string> {
	const run = await gateway.run('video:generate', { model: modelId(model), prompt: 'waves' });
	return String(run.json(NODE)[0]?.task_id);
}

it.each(panels)(
	'sends for $model under $action what its panel holds, and the gateway takes it',
	async ({ media, model, action }: { media: Media; model: string; action: string }) => {
		const spec = findModelSpec(model)!;
		const body = fillBody(spec, action);
		if ('ref_task_id' in body) body.ref_task_id = await createVideo(model);
		const parameters = toParameters(spec, body);
		const run = await gateway.run(`${media}:generate`, {
			model: modelId(model, 'list'),
			...parameters,
			wait: 'none',
		});

		expect(run.error).toBeUndefined();
		// The default action is left out.
		if (action === spec.actions[0]) delete body.action;
		expect(gateway.bodies().at(-1)).toEqual({ model, ...body });
		expect(run.json(NODE)).toEqual([expect.objectContaining({ model, action })]);
	},
);
