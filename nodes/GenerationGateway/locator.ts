import type {
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
  INodeProperties,
} from 'n8n-workflow';
import { modelMenu } from '../compile/menu';
import { EMBEDDING_MODELS, SPEECH_MODELS, textStyles, type Media, type StyleId } from '../families';
import { InputIssue, type Item } from './operation';

/** What a model is chosen for. */
type Purpose = Media | StyleId | 'task' | 'audio' | 'embedding';

/** What a new node starts with: for media the cheapest, so that a first try costs little. */
const FIRST: Record<Purpose, string> = {
  image: 'gmn-2.5-flash-image-preview',
  video: 'gx-imagine-1.0-video',
  task: '',
  chat: 'gp-5-mini',
  respond: 'gp-5-mini',
  message: 'cld-haiku-4.5',
  generateContent: 'gmn-2.5-flash',
  audio: SPEECH_MODELS[0],
  embedding: EMBEDDING_MODELS[0],
};

const isMedia = (purpose: string): purpose is Media => purpose === 'image' || purpose === 'video';

/** The choice of a model. In a panel its fields follow it, so there it cannot be an expression. */
export function modelLocator(purpose: Purpose): INodeProperties {
  const first = FIRST[purpose];
  return {
    displayName: 'Model',
    name: 'model',
    type: 'resourceLocator',
    required: true,
    ...(isMedia(purpose) && { noDataExpression: true }),
    default: { mode: 'list', value: first, cachedResultName: first },
    description: isMedia(purpose)
      ? 'The fields below are the ones this model takes. To choose a model by expression, use Task > Submit.'
      : 'The model to run; an expression may choose it',
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        typeOptions: { searchListMethod: 'searchModels', searchable: true },
      },
      { displayName: 'By ID', name: 'id', type: 'string', placeholder: `e.g. ${first || 'clipk-v3'}` },
    ],
  };
}

const named = (ids: readonly string[]): INodeListSearchItems[] => ids.map((id) => ({ name: id, value: id }));

function modelsFor(resource: unknown, operation: unknown): INodeListSearchItems[] {
  if (resource === 'audio') return named(SPEECH_MODELS);
  if (resource === 'embedding') return named(EMBEDDING_MODELS);
  if (resource === 'text') return named(textStyles[operation as StyleId]?.models ?? []);
  const media = isMedia(String(resource)) ? (resource as Media) : undefined;
  return modelMenu(media).map(({ id, price }) => ({ name: id, value: id, description: price }));
}

/** The list of models comes from the tables, so it is there before a credential is. */
export async function searchModels(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const [resource, operation] = ['resource', 'operation'].map((name) => this.getCurrentNodeParameter(name));
  const words = filter.toLowerCase().split(/\s+/);
  const results = modelsFor(resource, operation).filter(({ value }) =>
    words.every((word) => String(value).toLowerCase().includes(word)),
  );
  return { results };
}

/** The model an item asks for; both ways to name one give its id. */
export function modelOf(item: Item): string {
  const located = item.get('model', '') as string | { value?: unknown } | null;
  const id = String((typeof located === 'object' ? located?.value : located) ?? '').trim();
  if (id) return id;
  throw new InputIssue([{ field: 'model', message: 'Model (model) is empty. Choose one from the list or enter its ID' }]);
}
