import { ApiError } from '@latchkey/client';
import { isObject } from './is-object.ts';
import { t } from './messages/index.ts';

interface RefusedField {
  /** The name of the field in the request; empty if the whole input is refused. */
  name: string;
  sentence: string;
  /** The sentence says itself what it is about. */
  isComplete: boolean;
}

/** The fields that the server refused, each with a sentence that does not depend on how the request was written. */
export function refusedFieldsOf(error: unknown): RefusedField[] {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_FAILED' || !Array.isArray(error.details)) return [];
  const found = error.details.filter(isObject).map(readRefusal);
  return [...new Map(found.map((field) => [`${field.name} ${field.sentence}`, field])).values()];
}

/** What a form shows of a refusal that names a place in the request; empty where the server says it in a sentence of its own. */
export function describeRefusedFields(error: unknown): string[] {
  if (!(error instanceof ApiError) || !/^The (?:body|query|rule)\b/.test(error.message)) return [];
  return refusedFieldsOf(error).map(describeRefusedField);
}

/** "Webhook URL: Fill this in." */
export function describeRefusedField({ name, sentence, isComplete }: RefusedField): string {
  if (name === '' || isComplete) return sentence;
  return t('refused.field', { label: labelOf(name), sentence });
}

/** Reads where a problem of an input is and what it is, as the API describes both. */
export function readRefusal({ path, code, message, info }: Readonly<Record<string, unknown>>): RefusedField {
  const steps = textOf(path)
    .split('/')
    .filter((step) => step !== '' && !containers.has(step));
  // A schema names what is missing beside the path of the object in which it is missing.
  const missing = isObject(info) ? textOf(info.missingProperty) : '';
  if (missing !== '') steps.push(missing);
  const name = steps.findLast((step) => !/^\d+$/.test(step)) ?? '';
  const isEmpty = code === 'required' && (missing !== '' || /^rules of type /.test(textOf(message)));
  const own = isEmpty ? t('refused.missing') : isObject(info) ? ofSchema(textOf(code), info) : undefined;
  const isComplete = own === undefined && /^\p{Lu}/u.test(textOf(message));
  return { name, sentence: own ?? asSentence(textOf(message)), isComplete };
}

/** Parts of a request that hold fields and are not fields themselves. */
const containers: ReadonlySet<string> = new Set([
  'rule',
  'variables',
  'condition',
  'conditions',
  'and',
  'or',
  'not',
  'of',
]);

/** What the server checks without a schema is a sentence, or the end of one after the path. */
function asSentence(message: string): string {
  if (/^(?:must|is|are|has|have|contains|cannot|can|needs|does|names|was)\b/.test(message))
    return t('refused.other', { problem: message.replace(/\.$/, '') });
  return message.slice(0, 1).toUpperCase() + message.slice(1);
}

/** The messages of schemas are written for developers. */
function ofSchema(code: string, { limit }: Readonly<Record<string, unknown>>): string {
  if (typeof limit === 'number')
    switch (code) {
      case 'minLength':
      case 'minItems':
        if (limit <= 1) return t('refused.missing');
        break;
      case 'maxLength':
        return t('refused.long', { count: limit });
      case 'minimum':
        return t('refused.least', { limit });
      case 'maximum':
        return t('refused.most', { limit });
      default:
    }
  return t('refused.form');
}

/** Fields whose names are not what people call them. */
const labels = {
  maxToken: 'refused.atMost',
  minToken: 'refused.atLeast',
  otp: 'refused.code',
  pk: 'refused.organization',
  tokenId: 'refused.tokens',
} as const;

function labelOf(name: string): string {
  return isLabelled(name) ? t(labels[name]) : wordsOf(name);
}

function isLabelled(name: string): name is keyof typeof labels {
  return Object.hasOwn(labels, name);
}

/** `quietHours` as "Quiet hours", `roleId` as "Role", `webhookUrl` as "Webhook URL". */
function wordsOf(name: string): string {
  const words = name
    .replaceAll(/[_\W]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replaceAll(/\b(?:url|uri|ip)/g, (short) => short.toUpperCase())
    .replace(/ id$/, '')
    .trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
