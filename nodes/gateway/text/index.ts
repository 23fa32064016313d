import { chat } from './chat';
import { generateContent } from './generateContent';
import { message } from './message';
import { respond } from './respond';

/** The four text endpoints by the name of their operation. */
export const textAdapters = { chat, respond, message, generateContent };
