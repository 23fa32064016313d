/** The laws of the house (CONTRIBUTING.md): what may import what, in types as well as at run time. */
const FLOORS = '^nodes/(catalog|gateway|n8n)/';
const FOLDERS = '^(nodes|credentials|sandbox|scripts|bench|examples|test)/';
/** By a command, a path, n8n, Jest or the compiler. */
const STARTED = [
	'\\.(node|d|test)\\.ts$',
	'\\.mjs$',
	'^(scripts/[^/]+|bench)/index\\.ts$',
	'^(scripts/lintN8n|scripts/host/installAll)\\.ts$',
	'^test/support/transform\\.js$',
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			// Violations are printed by name, the last of the alphabet first. An upward import makes cycles too:
			// with this name they follow the line that says which import it is.
			name: 'acyclic',
			comment: 'A file that imports itself over others can be neither read nor loaded on its own.',
			severity: 'error',
			from: { path: '^(nodes|credentials|sandbox|scripts|bench|test/support)/' },
			to: { circular: true },
		},
		{
			name: 'catalog-knows-nothing',
			comment: 'The tables are data and pure functions. Beside themselves they import only types.',
			severity: 'error',
			from: { path: '^nodes/catalog/' },
			to: { path: FOLDERS, pathNot: '^nodes/catalog/' },
		},
		{
			name: 'gateway-knows-nothing',
			comment: 'The client of the HTTP interface imports neither the tables nor n8n.',
			severity: 'error',
			from: { path: '^nodes/gateway/' },
			to: { path: FOLDERS, pathNot: '^nodes/gateway/' },
		},
		{
			name: 'n8n-below-the-nodes',
			comment: 'Imports point downwards: n8n/ stands on catalog/ and gateway/, below the nodes.',
			severity: 'error',
			from: { path: '^nodes/n8n/' },
			to: { path: FOLDERS, pathNot: FLOORS },
		},
		{
			name: 'nodes-stand-alone',
			comment:
				'A node imports the floors and its own folder. The Model Tool is Task > Submit for agents and uses its router.',
			severity: 'error',
			from: { path: '^nodes/([^/]+)/', pathNot: `${FLOORS}|^nodes/GenerationGatewayModelTool/` },
			to: { path: FOLDERS, pathNot: `${FLOORS}|^nodes/$1/` },
		},
		{
			name: 'model-tool-on-the-node',
			comment: 'The Model Tool imports the floors, its own folder and that of the main node.',
			severity: 'error',
			from: { path: '^nodes/GenerationGatewayModelTool/' },
			to: { path: FOLDERS, pathNot: `${FLOORS}|^nodes/GenerationGateway(ModelTool)?/` },
		},
		{
			name: 'credential-on-the-floors',
			comment: 'The credential imports the floors.',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: FOLDERS, pathNot: `${FLOORS}|^credentials/` },
		},
		{
			name: 'no-action-knows-another',
			comment:
				'What two operations share is not in one of them. Only the menu (index.ts) lists them.',
			severity: 'error',
			from: { path: '^nodes/GenerationGateway/actions/.*\\.operation\\.ts$' },
			to: { path: '^nodes/GenerationGateway/actions/' },
		},
		{
			name: 'floors-without-n8n',
			comment: 'The tables and the client import types of n8n only, so that both run without it.',
			severity: 'error',
			from: { path: '^nodes/(catalog|gateway)/' },
			to: { path: 'n8n-workflow', dependencyTypesNot: ['type-only'], preCompilationOnly: false },
		},
		{
			name: 'host-has-it',
			comment:
				'At run time there is only what every supported n8n has. p-limit is allowed by its review and missing from n8n 1.x.',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: {
				pathNot:
					'^(nodes|credentials)/|(^|node_modules/)(n8n-workflow|zod|crypto|lodash|luxon)(/|$)',
				dependencyTypesNot: ['type-only'],
				preCompilationOnly: false,
				dynamic: false,
			},
		},
		{
			name: 'loaded-late',
			comment:
				'The AI SDK is loaded where an agent asks for a chat model, so that hosts without it load the rest of the package.',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { dynamic: true, pathNot: '@n8n/ai-node-sdk' },
		},
		{
			name: 'sandbox-reads-alone',
			comment:
				'The sandbox is a second reading of the documentation: it borrows nothing from the nodes.',
			severity: 'error',
			from: { path: '^sandbox/' },
			to: { path: '^(nodes|credentials|scripts|test|bench)/' },
		},
		{
			name: 'no-orphan',
			comment:
				'A file that nothing imports ships for nobody. n8n itself loads nodes and credentials.',
			severity: 'error',
			module: {
				path: '^nodes/',
				pathNot: '\\.(node|d)\\.(ts|json)$',
				numberOfDependentsLessThan: 1,
			},
			from: { path: '^(nodes|credentials)/' },
		},
		{
			name: 'no-unused-file',
			comment: 'Nobody needs a file that is neither imported nor started.',
			severity: 'error',
			module: {
				path: '^(sandbox|scripts|bench|test)/',
				pathNot: STARTED,
				numberOfDependentsLessThan: 1,
			},
			from: { path: '^(sandbox|scripts|bench|test)/' },
		},
		{
			name: 'no-drawer',
			comment: 'No file is called utils, helpers, common or shared: name it after what is in it.',
			severity: 'error',
			from: {},
			to: { path: '[/.-](utils?|helpers?|commons?|misc|shared)[/.-]', pathNot: 'node_modules' },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		tsConfig: { fileName: 'tsconfig.json' },
		tsPreCompilationDeps: 'specify',
		enhancedResolveOptions: { extensions: ['.ts', '.js', '.json', '.d.ts'] },
	},
};
