import type { IDataObject } from 'n8n-workflow';
import { check } from '../../catalog/validate';
import { textOf } from '../../catalog/labels';
import { textSheet, wrongEndpoint } from '../../n8n/textParameters';
import { converted } from '../../n8n/panel/readPanel';
import { textStyles, type StyleId } from '../../catalog/families';
import { modelOf } from '../../n8n/modelParameter';
import { InputIssue, underOperation, type Item, type Operation } from '../operation';
import { ask, type TextPlan } from './complete';
import { messagesOf } from './messageInput';
import { objectOption, readOptions } from '../../n8n/options';
import { textProperties } from './properties';
import { shaped } from './toMessages';
import { bodyOf, type Wanted } from './request';
import { delivered } from './toItem';

function parametersOf(item: Item, style: StyleId): IDataObject {
  const { fields } = textStyles[style];
  const given: IDataObject = { ...(style === 'message' && { max_tokens: item.get('max_tokens', 1024) as number }), ...item.options };
  const set = Object.entries(fields).flatMap(([name, field]) => {
    const raw = given[name];
    if (raw === undefined || raw === '' || (Array.isArray(raw) && !raw.length)) return [];
    return [[name, converted(raw, field)] as const];
  });
  return Object.fromEntries(set) as IDataObject;
}

/** What Extra Body says of parameters that the endpoint states; those of the native style stand in generationConfig. */
function knownIn(extra: IDataObject | undefined, style: StyleId): IDataObject {
  const { fields } = textStyles[style];
  const given = { ...extra, ...(style === 'generateContent' && (extra?.generationConfig as IDataObject | undefined)) };
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(fields, name)));
}

/** One style of text endpoint as an operation: spec sections 2.5 and 4. */
export function textOperation(style: StyleId): Operation<TextPlan> {
  return {
    properties: underOperation('text', [style], textProperties(style)),
    async plan(item) {
      const model = modelOf(item);
      const parameters = parametersOf(item, style);
      const { messages, issues } = await messagesOf(item, style);
      const extra = objectOption(item, 'extra_body', 'Extra Body');
      const schema = objectOption(item, 'jsonSchema', 'JSON Schema');
      const switches = readOptions(item);
      const simplify = switches.isOn('simplify', 'Simplify', true);
      const stream = 'stream' in item.options ? switches.isOn('stream', 'Stream') : undefined;
      const found = [
        wrongEndpoint(style, model),
        ...issues,
        ...check(textSheet(style, model), { ...knownIn(extra.value, style), ...parameters }).issues,
        extra.issue,
        schema.issue,
        ...switches.issues,
      ].filter((issue) => issue !== undefined);
      if (found.length) throw new InputIssue(found);
      const wanted: Wanted = { json: item.get('outputFormat', 'text') === 'json', schema: schema.value };
      const system = style === 'generateContent' ? '' : textOf(item.get('system', '') ?? '').trim();
      const { index, host } = item;
      const more = { ...extra.value };
      // Whether it streams is an option: what reads the answer must know.
      delete more.stream;
      return {
        style,
        model,
        index,
        body: async () => ({
          ...more,
          ...(style !== 'generateContent' && { model }),
          ...bodyOf(style, await shaped(messages, style, host, index), system, parameters, wanted),
        }),
        stream,
        json: wanted.json,
        simplify,
      };
    },
    perform: async (plan, run) => [delivered(await ask(plan, run), plan)],
  };
}
