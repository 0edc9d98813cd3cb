import { lifetimes } from '@latchkey/core';
import {
  challengeTtlSeconds,
  clientTypes,
  oauth2Resource,
  operatorGrantTypes,
  ownerGrantTypes,
  TokenRequest,
} from '@latchkey/core/facts';
import { code, type Facts, table } from './fact.ts';

interface Schema {
  description?: string;
  enum?: readonly string[];
  required?: readonly string[];
  properties?: Record<string, Schema>;
  anyOf?: readonly Schema[];
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

function inWords(seconds: number): string {
  const [size, unit] = seconds >= 2 * day ? [day, 'day'] : seconds >= hour ? [hour, 'hour'] : [minute, 'minute'];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function authorizeRows(): string[][] {
  const { params } = oauth2Resource.operations[0];
  return Object.entries(params).map(([name, schema]) => {
    const { description = '', enum: words } = schema as Schema;
    const text = description.replace(/\w+:<\w+>/g, (scope) => code(scope));
    return [code(name), words === undefined ? text : `${text} ${words.map((word) => code(word)).join(', ')}.`];
  });
}

/** Returns what each grant sends besides the client authentication. */
function grantRows(): string[][] {
  // A schema is a plain JSON object at run time; its type keeps only the values that it accepts.
  const { anyOf = [] } = TokenRequest as unknown as Schema;
  return anyOf.map(({ required = [], properties = {}, description = '' }) => {
    const [grant = ''] = properties.grant_type?.enum ?? [];
    const fields = required.filter((name) => name !== 'grant_type');
    const requested = (ownerGrantTypes as readonly string[]).includes(grant) ? 'the developer' : 'the operator only';
    const needed = fields.map((word) => code(word)).join(', ') || 'nothing more';
    const withPkce = properties.code_verifier === undefined ? '' : `; with PKCE ${code('code_verifier')}`;
    return [code(grant), needed + withPkce, requested, description];
  });
}

export default {
  'credentials/authorize-parameters': () => table(['Parameter', 'Meaning'], authorizeRows()),
  'credentials/grants': () => table(['`grant_type`', 'Fields it needs', 'Requested by', 'What it does'], grantRows()),
  'credentials/operator-grants': () =>
    operatorGrantTypes
      .filter((grant) => !(ownerGrantTypes as readonly string[]).includes(grant))
      .map((word) => code(word))
      .join(' and '),
  'credentials/client-types': () => clientTypes.map((word) => code(word)).join(', '),
  'credentials/lifetimes': () =>
    table(
      ['What', 'Lives for'],
      [
        ['A request, until the user decides', inWords(lifetimes.interaction)],
        ['A code', inWords(lifetimes.code)],
        ['An access token', inWords(lifetimes.accessToken)],
        ['An id token', inWords(lifetimes.idToken)],
        ['A refresh token, replaced with each use', inWords(lifetimes.refreshToken)],
        ['An authorization, and everything refreshed from it', inWords(lifetimes.grant)],
        ['A wallet sign-in challenge', inWords(challengeTtlSeconds)],
      ],
    ),
} satisfies Facts;
