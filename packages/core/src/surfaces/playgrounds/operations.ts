import { anyone, choice, op, shape, T, text } from '@latchkey/kernel';
import {
  actInPlayground,
  lifeSeconds,
  mostInAll,
  mostOfAddress,
  openPlayground,
  readPlayground,
} from './playground.ts';
import { ruleChoices } from './rules.ts';
import { OpenedPlayground, Playground, playgroundActions } from './shapes.ts';

const key = text('The key of the playground, from the response that created it.', { minLength: 1, maxLength: 64 });

const minutes = lifeSeconds / 60;

export const playgroundOperations = [
  op(
    'POST /latchkey/playgrounds',
    {
      id: 'openPlayground',
      summary: 'Open a playground',
      description: `Creates a sample community for a reader of the guides, with six members, two roles and wallets on a development chain. Only with the sample world of \`npm start\`. It ends after ${minutes} minutes; ${mostOfAddress} can be open per address, and ${mostInAll} on the server. Fails with RATE_LIMITED beyond that.`,
      access: anyone,
      returns: OpenedPlayground,
      errors: ['NOT_CONFIGURED', 'RATE_LIMITED'],
    },
    openPlayground,
  ),
  op(
    'POST /latchkey/playgrounds/state',
    {
      id: 'getPlayground',
      summary: 'Get a playground',
      description:
        'Returns the members of a playground with their wallets and roles, the rule, the newest change sets and the newest events.',
      access: anyone,
      body: shape(T.Object({ key })),
      returns: Playground,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED'],
    },
    readPlayground,
  ),
  op(
    'POST /latchkey/playgrounds/actions',
    {
      id: 'actInPlayground',
      summary: 'Do something in a playground',
      description:
        'Links the reader’s wallet, sells or buys back a token, edits the rule for the role Holder, approves, rejects or undoes a change set, or ends the playground. Returns the playground right after that; roles follow within seconds. Fails with STATE_CONFLICT if there is nothing to do it with.',
      access: anyone,
      body: shape(
        T.Object({
          key,
          action: choice('What to do.', playgroundActions),
          rule: T.Optional(choice('For edit-rule: the new rule. Defaults to three-keys.', ruleChoices)),
        }),
      ),
      returns: Playground,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    actInPlayground,
  ),
] as const;
