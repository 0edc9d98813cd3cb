import { type MiniAppManifest, miniAppDecisions, miniAppStatuses } from '@latchkey/core';
import {
  assertMiniAppTransition,
  dailyKudos,
  guestPassPeriodSeconds,
  kudosMaxWords,
  MiniAppManifest as manifestSchema,
  offeredKinds,
  snapshotEventMaxAgeSeconds,
  snapshotEvents,
  writeSnapshotMessage,
} from '@latchkey/core/facts';
import { code, type Facts, table } from './fact.ts';

const daySeconds = 24 * 60 * 60;

/** The fields of a marketplace card, in the order in which readers look for them. */
const cardFields: readonly (keyof MiniAppManifest)[] = [
  'name',
  'shortDescription',
  'description',
  'icons',
  'category',
  'type',
  'price',
  'platforms',
  'developer',
  'website',
  'version',
  'isBeta',
  'installed',
  'installedVersion',
  'installedAt',
  'isSuspended',
  'installationMetadata',
];

interface Field {
  description?: string;
  enum?: readonly string[];
}

// A schema is a plain JSON object at run time; its type keeps only the values that it accepts.
function fieldOf(name: string): Field {
  const { properties } = manifestSchema as unknown as { properties: Record<string, Field> };
  return properties[name] ?? {};
}

function describeField(name: string): string {
  const { description = 'Any JSON object.', enum: words } = fieldOf(name);
  return words === undefined ? description : `${description} One of ${words.map(code).join(', ')}.`;
}

/** Returns the possible next statuses: allowed steps for which there is a decision. */
function nextStatuses(from: (typeof miniAppStatuses)[number]): string {
  const next = Object.values(miniAppDecisions).filter((to) => {
    try {
      assertMiniAppTransition(from, to);
      return true;
    } catch {
      return false;
    }
  });
  return next.map(code).join(', ') || 'nothing else';
}

function headlineOf(event: (typeof snapshotEvents)[number]): string {
  const news = { event, space: 'example.eth', proposalId: '0x1', proposal: undefined };
  return String(writeSnapshotMessage(news).content);
}

export default {
  'marketplace/card': () =>
    table(
      ['Field', 'Meaning'],
      cardFields.map((name) => [code(name), describeField(name)]),
    ),
  'marketplace/app-states': () =>
    table(
      ['State', 'Can become'],
      miniAppStatuses.map((status) => [code(status), nextStatuses(status)]),
    ),
  'marketplace/guest-pass-days': () => String(guestPassPeriodSeconds / daySeconds),
  'marketplace/kudos-kinds': () => offeredKinds.map(code).join(', '),
  'marketplace/kudos-daily': () => String(dailyKudos),
  'marketplace/kudos-words': () => String(kudosMaxWords),
  'marketplace/snapshot-events': () =>
    table(
      ['Event', 'Message in the channel'],
      snapshotEvents.map((event) => [code(event), headlineOf(event)]),
    ),
  'marketplace/snapshot-oldest-days': () => String(snapshotEventMaxAgeSeconds / daySeconds),
} satisfies Facts;
