import type { INodeProperties } from 'n8n-workflow';

/** A switch that is on once it is added. */
export const toggle = (displayName: string, name: string, description: string): INodeProperties => ({
  displayName,
  name,
  type: 'boolean',
  default: true,
  description,
});
export const number = (displayName: string, name: string, description: string, value: number, minValue = 0): INodeProperties => ({
  displayName,
  name,
  type: 'number',
  typeOptions: { minValue },
  default: value,
  description,
});

export const concurrency = number('Concurrency', 'concurrency', 'How many calls to the gateway may be under way at once', 20, 1);
export const simplify = toggle('Simplify', 'simplify', 'Whether to return a simplified version of the response instead of the raw data');

/** The Options collection of an operation. */
export const optionsOf = (options: INodeProperties[]): INodeProperties => ({
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options,
});
