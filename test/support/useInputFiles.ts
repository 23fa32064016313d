import type { IDataObject } from 'n8n-workflow';
import {
	file,
	itemsNode,
	linear,
	type EngineRun,
	type GivenItem,
	type Instance,
	type NodeSpec,
} from '../../scripts/engine';
import { gatewayNode, modelId, useGateway, type GatewayFixture, type Menu } from './gateway';
import { useInstance } from './useInstance';

export const photo = (content = 'a face') => file(content, 'face.png', 'image/png');
export const clip = file('a clip', 'clip.mp4', 'video/mp4');
export const item = (binary: GivenItem['binary'], json: IDataObject = {}): GivenItem => ({
	json,
	binary,
});
export const edit = { model: modelId('flx-2-flex'), action: 'edit', prompt: 'a kite' };

interface InputFilesFixture {
	gateway: GatewayFixture;
	instance: Instance;
	/** Runs the node where n8n gives links to files. */
	run: (
		items: GivenItem[],
		menu: Menu,
		parameters: IDataObject,
		node?: Partial<NodeSpec>,
	) => Promise<EngineRun>;
}

/** A sandbox and an n8n for one test file. */
export function useInputFiles(): InputFilesFixture {
	const gateway = useGateway();
	const instance = useInstance();
	return {
		gateway,
		instance,
		run: async (items, menu, parameters, node) =>
			await instance.run(
				linear(itemsNode(items), gatewayNode(menu, parameters, node)),
				gateway.options(),
			),
	};
}
