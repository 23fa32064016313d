import type { Field } from '../families';
import { shown } from './label';

const ASSET = /^asset:\/\/[\w.-]+$/;

/**
 * Why the value cannot stand as this field's link, or undefined (spec sections 2.2, 2.4 and 7:
 * public HTTP(S) links; `asset://` only where assets are accepted; no base64 and no data URIs).
 */
export function brokenLink(value: string, field: Field): string | undefined {
  if (field.anyLink) return undefined;
  if (value.startsWith('asset:')) {
    if (!field.assets)
      return `${shown(value)} is an asset reference, which this model does not accept here; give a public http(s) link`;
    return ASSET.test(value)
      ? undefined
      : `${shown(value)} is not of the form asset://<asset_id>, e.g. asset://ast_01`;
  }
  if (/^data:/i.test(value))
    return 'a data URI is given, and only public http(s) links are accepted; store the file where it can be downloaded';
  if (URL.canParse(value) && /^https?:\/\/./i.test(value)) return undefined;
  if (value.length > 100 && /^[A-Za-z0-9+/=\s]+$/.test(value))
    return 'base64 is given, and only public http(s) links are accepted; store the file where it can be downloaded';
  return `${shown(value)} is not a link; give a public one that starts with http:// or https://`;
}
