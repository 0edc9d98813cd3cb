import { discordCommands, evmNetworks } from '@latchkey/core';
import {
  type AssetKind,
  assetKinds,
  claimTtlSeconds,
  maxCredentialsPerUser,
  otherKinds,
  signInTtlSeconds,
} from '@latchkey/core/facts';
import { variables } from '@latchkey/server/facts';
import type { Facts } from './fact.ts';

function code(text: string): string {
  return `\`${text}\``;
}

function whereOf({ chain }: AssetKind): string {
  if (typeof chain === 'string') return code(chain);
  const network = evmNetworks.find(({ chainId }) => chainId === chain.evm);
  return chain.evm === undefined ? 'any EVM chain' : `${network?.description ?? 'EVM'} by default`;
}

function kindRow(kind: AssetKind): string[] {
  const { name, from, tokenIds } = kind;
  const ids = tokenIds === undefined ? '–' : tokenIds === 'required' ? 'must be named' : 'can be named';
  return [code(name), whereOf(kind), from.map(code).join(' or ') || 'nothing more', ids];
}

const kindColumns = ['Kind', 'Where', 'Named by', 'Token ids'];

function isEvm({ chain }: AssetKind): boolean {
  return typeof chain === 'object';
}

interface Described {
  name: string;
  description: string;
}

function isDescribed(value: unknown): value is Described {
  return typeof value === 'object' && value !== null && 'name' in value && 'description' in value;
}

const forAdmins = /^For admins: /;

function subcommands(): Described[] {
  return discordCommands.flatMap(({ options }) => (Array.isArray(options) ? options.filter(isDescribed) : []));
}

function commandRow({ name, description }: Described): string[] {
  const words = description.replace(forAdmins, '');
  return [code(`/latchkey ${name}`), `${words.charAt(0).toUpperCase()}${words.slice(1)}.`];
}

export default {
  'features/evm-kinds': () => ({ columns: kindColumns, rows: assetKinds.filter(isEvm).map(kindRow) }),
  'features/other-kinds': () => ({
    columns: kindColumns,
    rows: assetKinds.filter((kind) => !isEvm(kind)).map(kindRow),
  }),
  'features/kind-count': () => String(assetKinds.length + otherKinds.length),
  'features/admin-commands': () => ({
    columns: ['Command', 'What it does'],
    rows: subcommands()
      .filter(({ description }) => forAdmins.test(description))
      .map(commandRow),
  }),
  'features/member-commands': () => ({
    columns: ['Command', 'What it does'],
    rows: subcommands()
      .filter(({ description }) => !forAdmins.test(description))
      .map(commandRow),
  }),
  'features/asset-claim-days': () => String(claimTtlSeconds / 86_400),
  'features/passkeys-per-user': () => String(maxCredentialsPerUser),
  'features/passkey-slug-minutes': () => String(signInTtlSeconds / 60),
  'features/signatures-per-minute': () => variables.LATCHKEY_SIGNATURES_PER_MINUTE.fallback,
  'features/signatures-per-day': () => variables.LATCHKEY_SIGNATURES_PER_DAY.fallback,
  'features/typed-signatures-per-day': () => variables.LATCHKEY_TYPED_SIGNATURES_PER_DAY.fallback,
  'features/step-up-hours': () => variables.LATCHKEY_STEP_UP_REST_HOURS.fallback,
} satisfies Facts;
