import { isObject } from '@latchkey/kernel';

/** Typed data (EIP-712) all of whose members are covered by its types, as verified when it was hashed. */
export interface TypedData {
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
  primaryType: string;
  domain: Readonly<Record<string, unknown>>;
  message: Readonly<Record<string, unknown>>;
}

/** Parses typed data that has a digest; nothing else is guaranteed to have this form. */
export function readTypedData(json: string): TypedData {
  return JSON.parse(json);
}

/** Deeper than any real typed data; deeper levels are mentioned but not shown. */
export const maxDepth = 32;

const evmAddress = /^0x[0-9a-fA-F]{40}$/;

export function asAddress(value: unknown): string | undefined {
  return typeof value === 'string' && evmAddress.test(value) ? value.toLowerCase() : undefined;
}

/** Parses an integer in any form that JSON allows. */
export function asInteger(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || !/^(0x[0-9a-fA-F]{1,64}|-?[0-9]{1,78})$/.test(value)) return undefined;
  return BigInt(value);
}

/** Returns what the recipient of the signature can do with it, for the well-known kinds of typed data. */
export function dangersOf(data: TypedData): string[] {
  return [...new Set([...permits(data), ...transfers(data), ...orders(data), ...calls(data), ...unlimited(data)])];
}

const unlimitedFrom = 2n ** 96n - 1n;

const isUnlimited = (value: unknown) => (asInteger(value) ?? 0n) >= unlimitedFrom;

const amount = (value: unknown) => (isUnlimited(value) ? 'an unlimited amount' : `${asInteger(value) ?? '?'} units`);

const who = (value: unknown) => asAddress(value) ?? 'an unknown address';

function contractOf({ domain }: TypedData): string {
  const chain = asInteger(domain.chainId);
  return `${who(domain.verifyingContract)}${chain === undefined ? '' : ` on chain ${chain}`}`;
}

/** ERC-2612, the older form of DAI, permits of NFTs (ERC-4494), and Permit2. */
function permits(data: TypedData): string[] {
  const { primaryType, message } = data;
  if (primaryType === 'Permit' && Object.hasOwn(message, 'tokenId'))
    return [`This lets ${who(message.spender)} take token ${show(message.tokenId)} of ${contractOf(data)}.`];
  if (primaryType === 'Permit' && Object.hasOwn(message, 'allowed'))
    return message.allowed === false
      ? []
      : [`This lets ${who(message.spender)} spend an unlimited amount of the token ${contractOf(data)}.`];
  if (primaryType === 'Permit')
    return [`This lets ${who(message.spender)} spend ${amount(message.value)} of the token ${contractOf(data)}.`];
  if (!/^Permit(Single|Batch|(Batch)?(Witness)?TransferFrom)$/.test(primaryType)) return [];
  return [message.details, message.permitted]
    .flat()
    .filter(isObject)
    .map(
      (details) =>
        `This lets ${who(message.spender)} spend ${amount(details.amount)} of the token ${who(details.token)} (Permit2).`,
    );
}

/** EIP-3009. */
function transfers(data: TypedData): string[] {
  const { primaryType, message } = data;
  if (!['TransferWithAuthorization', 'ReceiveWithAuthorization'].includes(primaryType)) return [];
  return [`This sends ${amount(message.value)} of the token ${contractOf(data)} to ${who(message.to)}.`];
}

const orderTypes =
  /^(OrderComponents|BulkOrder|Order|MakerOrder|Maker|LimitOrder|ERC(20|721|1155)Order|Offer|Bid|Ask)$/;

function orders({ primaryType }: TypedData): string[] {
  return orderTypes.test(primaryType)
    ? ['This is a marketplace order: anyone with this signature can take what it offers, without asking you again.']
    : [];
}

const callTypes = /^(ForwardRequest|MetaTransaction|SafeTx|UserOperation|PackedUserOperation|Delegation|Execute)$/;

const selectors: Readonly<Record<string, string>> = {
  '0xa22cb465': 'setApprovalForAll, which lets someone take all NFTs of a collection',
  '0x095ea7b3': 'approve, which lets someone spend a token',
  '0x39509351': 'increaseAllowance, which lets someone spend more of a token',
  '0xa9059cbb': 'transfer, which sends tokens away',
  '0x23b872dd': 'transferFrom, which sends tokens away',
};

function calls({ primaryType, message }: TypedData): string[] {
  const named = [...valuesOf(message)].flatMap(([, value]) => {
    const call = typeof value === 'string' ? selectors[value.slice(0, 10).toLowerCase()] : undefined;
    return call === undefined ? [] : [`This contains a call to ${call}.`];
  });
  return callTypes.test(primaryType)
    ? ['This is a transaction in another form: anyone with this signature can execute it.', ...named]
    : named;
}

function unlimited({ message }: TypedData): string[] {
  return [...valuesOf(message)].flatMap(([name, value]) =>
    /(amount|value|allowance|wad)$/i.test(name) && isUnlimited(value) ? [`${name} is unlimited.`] : [],
  );
}

function* valuesOf(value: unknown, name = '', depth = 0): Generator<[name: string, value: unknown]> {
  if (depth > maxDepth) return;
  if (Array.isArray(value)) for (const item of value) yield* valuesOf(item, name, depth + 1);
  else if (isObject(value))
    for (const [member, item] of Object.entries(value)) yield* valuesOf(item, member, depth + 1);
  else yield [name, value];
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
