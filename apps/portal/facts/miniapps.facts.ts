import {
  callTimeoutMs,
  DiscordActionMetadata,
  GetQuoteResponse,
  interactionTtlSeconds,
  interactionTypes,
  MiniAppManifest,
  MiniAppRegistrationCreate,
  maxResponseBytes,
  miniAppSyncRetry,
  signatureWindowMs,
} from '@latchkey/core/facts';
import { partnerVariables } from '@latchkey/server/facts';
import { code, type Facts, type FactTable, table } from './fact.ts';

interface Field {
  type?: string;
  description?: string;
  enum?: readonly string[];
  maxItems?: number;
}

interface Shape {
  properties: Readonly<Record<string, Field>>;
  required?: readonly string[];
}

// A schema is a plain JSON object at run time; its type keeps only the values that it accepts.
function shapeOf(schema: unknown): Shape {
  return schema as Shape;
}

/** The fields that the marketplace adds to a manifest. */
const addedByServer: readonly string[] = [
  'installed',
  'isSuspended',
  'installedAt',
  'installedVersion',
  'installationMetadata',
];

function fieldRows(schema: unknown, without: readonly string[] = []): string[][] {
  const { properties, required = [] } = shapeOf(schema);
  const names = Object.keys(properties).filter((name) => !without.includes(name));
  const inOrder = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ];
  return inOrder.map((name) => [code(name), required.includes(name) ? 'yes' : 'no', describe(properties[name] ?? {})]);
}

function describe({ description = 'Any JSON object.', enum: words }: Field): string {
  return words === undefined ? description : `${description} One of ${words.map(code).join(', ')}.`;
}

const kinds: Readonly<Record<keyof typeof interactionTypes, readonly [what: string, routedBy: string]>> = {
  command: ['a member uses a command', 'the name of the command'],
  component: ['a member presses a button or picks from a menu', 'the `custom_id` of the component'],
  autocomplete: ['a member is typing an option that offers choices', 'the name of the command'],
  modal: ['a member submits a form', 'the `custom_id` of the form'],
};

function interactionRows(): string[][] {
  return Object.entries(interactionTypes).map(([kind, type]) => [
    String(type),
    ...kinds[kind as keyof typeof interactionTypes],
  ]);
}

function patienceHours(): string {
  let seconds = 0;
  for (let failures = 1; ; failures += 1) {
    const pause = miniAppSyncRetry.delaySeconds(failures);
    if (pause === undefined) return String(Math.round(seconds / 3600));
    seconds += pause;
  }
}

function settings(prefix: string): FactTable {
  const found = Object.entries(partnerVariables).filter(([name]) => name.startsWith(prefix));
  return table(
    ['Setting', 'Meaning', 'Without it'],
    found.map(([name, { meaning, fallback }]) => [code(name), meaning, fallback ? code(fallback) : 'nothing']),
  );
}

export default {
  'miniapps/manifest': () => table(['Field', 'Needed', 'Meaning'], fieldRows(MiniAppManifest, addedByServer)),
  'miniapps/registration': () => table(['Field', 'Needed', 'Meaning'], fieldRows(MiniAppRegistrationCreate)),
  'miniapps/interaction-types': () => table(['Type', 'Sent when', 'Routed by'], interactionRows()),
  'miniapps/max-commands': () => String(shapeOf(DiscordActionMetadata).properties.applicationCommands?.maxItems),
  'miniapps/signature-minutes': () => String(signatureWindowMs / 60_000),
  'miniapps/callback-minutes': () => String(interactionTtlSeconds / 60),
  'miniapps/answer-seconds': () => String(callTimeoutMs / 1000),
  'miniapps/answer-kilobytes': () => String(maxResponseBytes / 1024),
  'miniapps/event-hours': patienceHours,
  'telefrens/quote': () =>
    table(
      ['Field', 'Meaning'],
      fieldRows(GetQuoteResponse).map(([name = '', , meaning = '']) => [name, meaning]),
    ),
  'telefrens/settings': () => settings('LATCHKEY_WAITING_LIST_'),
  'telefrens/paymaster-settings': () => settings('LATCHKEY_PAYMASTER_'),
} satisfies Facts;
