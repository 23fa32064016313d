import type {
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodeProperties,
} from 'n8n-workflow';
import { modelMenu } from '../../compile/menu';
import type { Media } from '../../families';

/** The cheapest of each medium, so that a first try costs little. */
const FIRST: Record<Media, string> = {
  image: 'gmn-2.5-flash-image-preview',
  video: 'gx-imagine-1.0-video',
};

/** The choice of a model. In a panel its fields follow it, so there it cannot be an expression. */
export function modelLocator(media?: Media): INodeProperties {
  const first = media ? FIRST[media] : '';
  return {
    displayName: 'Model',
    name: 'model',
    type: 'resourceLocator',
    required: true,
    ...(media && { noDataExpression: true }),
    default: { mode: 'list', value: first, cachedResultName: first },
    description: media
      ? 'The fields below are the ones this model takes. To choose a model by expression, use Task > Submit.'
      : 'The model to run; an expression may choose it',
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        typeOptions: { searchListMethod: 'searchModels', searchable: true },
      },
      { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. clipk-v3' },
    ],
  };
}

/** The list of models comes from the tables, so it is there before a credential is. */
export async function searchModels(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const resource = this.getCurrentNodeParameter('resource');
  const media = resource === 'image' || resource === 'video' ? resource : undefined;
  const words = filter.toLowerCase().split(/\s+/);
  const results = modelMenu(media)
    .filter(({ id, family }) => words.every((word) => `${id} ${family}`.toLowerCase().includes(word)))
    .map(({ id, price }) => ({ name: id, value: id, description: price }));
  return { results };
}
