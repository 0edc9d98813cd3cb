/** What a call or a log line says of tokens. */
export interface TokenFacts {
  tokenIds: Set<string>;
  /** Everybody it names. */
  accounts: Set<string>;
  /** Those of them who hold or held tokens of the contract. */
  holders: Set<string>;
  kind: 'ft' | 'nft' | undefined;
  /** Whether the tokens came into being. */
  isMint: boolean;
}

const accountPattern = /^(?=.{2,64}$)[a-z0-9]+(?:[-_.][a-z0-9]+)*$/;
const maxTokenIdLength = 256;
/** A log line may name thousands of tokens; so many of them are kept. */
const maxNamed = 1000;

/** Arguments of the token standards (NEP-141, NEP-171, NEP-178) and of contracts that follow their names. */
export function factsOfCall(method: string, args: Readonly<Record<string, unknown>>): TokenFacts {
  // A contract that is told of a token of another one, such as a market (nft_on_approve), has no tokens by that.
  const [, kind] = /^(ft|nft)_(?!on_)/.exec(method) ?? [];
  const facts = noFacts(kind === 'ft' || kind === 'nft' ? kind : undefined);
  addTokens(facts, [args.token_id, args.token_ids]);
  addHolders(facts, [args.receiver_id, args.token_owner_id, args.owner_id, args.new_owner_id]);
  addAccounts(facts, [args.account_id]);
  return facts;
}

const standards: Readonly<Record<string, 'ft' | 'nft'>> = { nep141: 'ft', nep171: 'nft', nep245: 'nft' };

/** An event in the form of NEP-297: `EVENT_JSON:{"standard": …, "event": …, "data": […]}`. */
export function factsOfLog(line: string): TokenFacts {
  const event = readEvent(line);
  const facts = noFacts(typeof event.standard === 'string' ? standards[event.standard] : undefined);
  facts.isMint = event.standard === 'nep171' && event.event === 'nft_mint';
  if (facts.kind === undefined || !Array.isArray(event.data)) return facts;
  for (const entry of event.data.slice(0, maxNamed)) {
    const { token_ids, owner_id, old_owner_id, new_owner_id, authorized_id } = Object(entry);
    addTokens(facts, [token_ids]);
    addHolders(facts, [owner_id, old_owner_id, new_owner_id]);
    addAccounts(facts, [authorized_id]);
  }
  return facts;
}

function noFacts(kind: 'ft' | 'nft' | undefined): TokenFacts {
  return { tokenIds: new Set(), accounts: new Set(), holders: new Set(), kind, isMint: false };
}

function readEvent(line: string): { standard?: unknown; event?: unknown; data?: unknown } {
  if (!line.startsWith('EVENT_JSON:')) return {};
  try {
    return Object(JSON.parse(line.slice('EVENT_JSON:'.length)));
  } catch {
    return {};
  }
}

function addTokens({ tokenIds }: TokenFacts, values: readonly unknown[]): void {
  for (const value of values.flat().slice(0, maxNamed)) {
    // A text with a NUL is no text to PostgreSQL, and no token has such an id.
    if (typeof value === 'string' && value.length <= maxTokenIdLength && !value.includes('\0')) tokenIds.add(value);
  }
}

function addHolders(facts: TokenFacts, values: readonly unknown[]): void {
  for (const account of addAccounts(facts, values)) facts.holders.add(account);
}

function addAccounts({ accounts }: TokenFacts, values: readonly unknown[]): string[] {
  const named = values.filter((value) => typeof value === 'string').filter((value) => accountPattern.test(value));
  for (const account of named) accounts.add(account);
  return named;
}
