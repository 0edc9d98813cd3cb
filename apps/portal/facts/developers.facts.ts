import {
  absentMetrics,
  callBackJob,
  checkTtlSeconds,
  defaultRoleId,
  maxReadsPerCheck,
  maxRulesPerCheck,
  maxTokensRead,
  planCacheTtlSeconds,
  TokenGatingRequest,
} from '@latchkey/core/facts';
import { sampleMember } from '@latchkey/emulators/sample-world';
import { defaultPageSize, maxPageSize } from '@latchkey/kernel';
import inventory from '@latchkey/kernel/inventory' with { type: 'json' };
import { readConfig } from '@latchkey/server/facts';
import { code, type Facts, table } from './fact.ts';

const hourSeconds = 60 * 60;

interface Field {
  type?: string;
  description?: string;
}

// A schema is a plain JSON object at run time; its type keeps only the values that it accepts.
function fieldsOfRule(): [string, Field][] {
  const schema = TokenGatingRequest as unknown as { properties: { rules: { items: { properties: object } } } };
  return Object.entries(schema.properties.rules.items.properties);
}

/** Returns how often a result is sent to a callback that does not accept it, and for how long. */
function callbackPauses(): number[] {
  const pauses: number[] = [];
  for (let failures = 1; ; failures += 1) {
    const pause = callBackJob.retry.delaySeconds(failures);
    if (pause === undefined) return pauses;
    pauses.push(pause);
  }
}

function rateOf(name: 'anonymousRate' | 'userRate'): string {
  const { points, durationSeconds } = readConfig({})[name];
  return `${points} requests in ${durationSeconds} ${durationSeconds === 1 ? 'second' : 'seconds'}`;
}

const first = sampleMember(1);

/** Any object is accepted; its meaning depends on the rule. */
const variablesMeaning =
  'Values that the `query` uses by name (`$_filter` is `variables._filter`), and settings of the rule such as `_sumWallets`; for the `scheme` `logic`, the tree in `rule`.';

export default {
  'developers/plan-seconds': () => String(planCacheTtlSeconds),
  'developers/rule-fields': () =>
    table(
      ['Field', 'JSON', 'What it means'],
      fieldsOfRule().map(([name, { type = 'object', description = '' }]) => [
        code(name),
        type,
        name === 'variables' ? variablesMeaning : description,
      ]),
    ),
  'developers/default-role': () => code(defaultRoleId),
  'developers/reads-per-check': () => maxReadsPerCheck.toLocaleString('en'),
  'developers/rules-per-check': () => String(maxRulesPerCheck),
  'developers/check-kept-hours': () => String(checkTtlSeconds / hourSeconds),
  'developers/callback-tries': () => String(callbackPauses().length + 1),
  'developers/callback-minutes': () => String(Math.round(callbackPauses().reduce((sum, pause) => sum + pause, 0) / 60)),
  'developers/traits-read': () => String(maxTokensRead),
  'developers/absent-figures': () =>
    table(
      ['Field', 'Why it is absent'],
      Object.entries(absentMetrics).map(([name, why]) => [code(name), why]),
    ),
  'developers/page-size': () => String(defaultPageSize),
  'developers/page-limit': () => String(maxPageSize),
  'developers/anonymous-rate': () => rateOf('anonymousRate'),
  'developers/user-rate': () => rateOf('userRate'),
  'developers/sample-wallet': () => code(first.address),
  'developers/sample-user': () => code(`DIS#USER#${first.userId}`),
  'developers/sdk-operations': () => String(inventory.filter(({ sdk }) => sdk !== null).length),
  'developers/sdk-unknown': () =>
    inventory
      .filter(({ sdk }) => sdk === null)
      .map(({ method, path }) => code(`${method} ${path}`))
      .join(' and '),
} satisfies Facts;
