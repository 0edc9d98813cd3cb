import { answerGroups, digitsOf, fieldsOf, listOf, Malformed, textOf, toAnswers, unknown } from '@latchkey/adapter-kit';
import type { Answer, BlockPoint, HoldingsReader, Question } from '@latchkey/core/ports';
import {
  createHttpReader,
  type HttpHoldingsOptions,
  heldTokens,
  plainDecimal,
  type Session,
} from '../../http-holdings/index.ts';

const service = 'The Flow access node';
const accountsPerScript = 50;

export interface FlowHoldingsOptions extends HttpHoldingsOptions {
  /** The token standard contracts of private networks, by chain. */
  standards?: Readonly<Record<string, FlowStandards>>;
}

/**
 * Reads `ft` and `nft` on Flow with scripts over the REST API of an access node. The reference is `A.<address>.<Contract>.<Public>.<path>`.
 * Only resources of that exact contract count, whatever interface they expose.
 */
export function createFlowHoldings(options: FlowHoldingsOptions): HoldingsReader {
  const read = async (questions: readonly Question[], session: Session) => {
    const block = session.block ?? (await findSealedBlock(session));
    const [, network = ''] = session.chain.split(':');
    const standards = options.standards?.[session.chain] ?? flowStandards[network];
    const grouping = {
      keyOf: ({ standard, reference }: Question) => `${standard} ${reference}`,
      size: accountsPerScript,
    };
    return answerGroups(service, questions, grouping, async (group) => {
      const [{ standard, reference }] = group;
      const asset = parseFlowAsset(reference);
      if (!asset) return group.map(() => unknown('A Flow asset is written as A.<address>.<Contract>.<Public>.<path>.'));
      if (!standards) return group.map(() => unknown(`The token contracts of ${session.chain} are not known.`));
      const script = standard === 'ft' ? writeBalancesScript(asset, standards) : writeTokensScript(asset, standards);
      return readGroup(group, script, block, session);
    });
  };
  return createHttpReader({ service, standards: ['ft', 'nft'], hasHistory: true, read }, options);
}

async function findSealedBlock({ ask }: Session): Promise<BlockPoint> {
  const [sealed] = listOf((await ask('/v1/blocks', { query: { height: 'sealed' } })).body, 'the list of blocks');
  const header = fieldsOf(fieldsOf(sealed, 'the block').header, 'the header');
  return { number: digitsOf(header.height, 'the height'), hash: textOf(header.id, 'the id of the block') };
}

// A script fails as a whole, and one account can cause that by what it publishes. To protect the others, a failing batch is halved until
// the account is alone.
async function readGroup(
  group: readonly Question[],
  script: string,
  block: BlockPoint,
  session: Session,
): Promise<readonly Answer[]> {
  const accounts = [...new Set(group.map(({ account }) => account))];
  const { status, body } = await session.ask('/v1/scripts', {
    query: { block_height: block.number },
    body: { script: toBase64(script), arguments: [toBase64(JSON.stringify(writeAddresses(accounts)))] },
    answers: [400],
  });
  if (status === 200) return readHeld(body, group, block);
  if (accounts.length === 1) return group.map(() => unknown(`${service} could not run the script for this account.`));
  const half = accounts.slice(0, accounts.length / 2);
  const parts = Map.groupBy(group, ({ account }) => half.includes(account));
  const answers = new Map<Question, Answer>();
  for (const part of parts.values()) {
    const got = await readGroup(part, script, block, session);
    got.forEach((answer, place) => {
      const question = part[place];
      if (question) answers.set(question, answer);
    });
  }
  return group.map((question) => answers.get(question) ?? unknown(`${service} returned no result.`));
}

function readHeld(body: unknown, group: readonly Question[], block: BlockPoint): readonly Answer[] {
  const result: unknown = JSON.parse(Buffer.from(textOf(body, 'the result'), 'base64').toString('utf8'));
  const pairs = listOf(cadenceOf(result, 'Dictionary'), 'the result').map((pair) => fieldsOf(pair, 'a pair'));
  const held = new Map(pairs.map(({ key, value }) => [textOf(cadenceOf(key, 'Address'), 'an address'), value]));
  return toAnswers(service, group, (question) => {
    const value = held.get(question.account);
    if (value === undefined) throw new Malformed('an account is missing');
    if (question.standard === 'ft') {
      return { kind: 'read', amount: plainDecimal(cadenceOf(value, 'UFix64'), 'a balance'), block };
    }
    const ids = listOf(cadenceOf(value, 'Array'), 'the ids').map((id) => digitsOf(cadenceOf(id, 'UInt64'), 'an id'));
    const tokens = ids.map((id) => ({ id, amount: '1' }));
    return heldTokens(question, tokens, block);
  });
}

/** Returns the value of a JSON-Cadence value of the expected type. */
function cadenceOf(cadence: unknown, type: string): unknown {
  const fields = fieldsOf(cadence, `a value of type ${type}`);
  if (fields.type !== type) throw new Malformed(`a value is not of type ${type}`);
  return fields.value;
}

function writeAddresses(accounts: readonly string[]) {
  return { type: 'Array', value: accounts.map((value) => ({ type: 'Address', value })) };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The contract of a token and the path where accounts publish it: `A.<address>.<Contract>.<Public>.<path>`. */
interface FlowAsset {
  address: string;
  contract: string;
  path: string;
}

/** The two token standard contracts of each network. */
export interface FlowStandards {
  fungibleToken: string;
  nonFungibleToken: string;
}

export const flowStandards: Readonly<Record<string, FlowStandards>> = {
  mainnet: { fungibleToken: 'f233dcee88fe0abe', nonFungibleToken: '1d7e57aa55817448' },
  testnet: { fungibleToken: '9a0766d93b6608b7', nonFungibleToken: '631e88ae7f1d7c20' },
  emulator: { fungibleToken: 'ee82856bf20e2aa6', nonFungibleToken: 'f8d6e0586b0a20c7' },
};

// The parts become program text, so only identifiers are allowed.
const form = /^A\.(?:0x)?([0-9a-fA-F]{16})\.([A-Za-z_]\w{0,99})\.([A-Za-z_]\w{0,99})\.([A-Za-z_]\w{0,99})$/;

export function parseFlowAsset(reference: string): FlowAsset | undefined {
  const [, address, contract, , path] = form.exec(reference) ?? [];
  if (address === undefined || contract === undefined || path === undefined) return undefined;
  return { address: address.toLowerCase(), contract, path };
}

// An account can publish anything under a path, including a resource that only claims to be a token. The type name comes from the chain:
// its prefix proves which contract defines the resource.
function isOf({ address, contract }: FlowAsset, held: string): string {
  const own = `A.${address}.${contract}.`;
  const name = `${held}.getType().identifier`;
  return `${name}.length > ${own.length} && ${name}.slice(from: 0, upTo: ${own.length}) == "${own}"`;
}

/** Returns a script that reads how much of a fungible token each account holds. */
export function writeBalancesScript(asset: FlowAsset, { fungibleToken }: FlowStandards): string {
  return `import FungibleToken from 0x${fungibleToken}

access(all) fun main(accounts: [Address]): {Address: UFix64} {
  let held: {Address: UFix64} = {}
  for account in accounts {
    held[account] = 0.0
    if let vault = getAccount(account).capabilities.borrow<&{FungibleToken.Balance}>(/public/${asset.path}) {
      if ${isOf(asset, 'vault')} {
        held[account] = vault.balance
      }
    }
  }
  return held
}
`;
}

/** Returns a script that reads the ids of the tokens that each account holds of a collection. */
export function writeTokensScript(asset: FlowAsset, { nonFungibleToken }: FlowStandards): string {
  return `import NonFungibleToken from 0x${nonFungibleToken}

access(all) fun main(accounts: [Address]): {Address: [UInt64]} {
  let held: {Address: [UInt64]} = {}
  for account in accounts {
    held[account] = []
    if let collection = getAccount(account).capabilities.borrow<&{NonFungibleToken.CollectionPublic}>(/public/${asset.path}) {
      if ${isOf(asset, 'collection')} {
        held[account] = collection.getIDs()
      }
    }
  }
  return held
}
`;
}
