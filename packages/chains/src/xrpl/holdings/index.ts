import {
  answerGroups,
  digitsOf,
  distinct,
  type Fields,
  fieldsOf,
  listOf,
  Malformed,
  nameOf,
  type QuestionGroup,
  ServiceFailed,
  textOf,
  toAnswers,
  unknown,
} from '@latchkey/adapter-kit';
import type { Answer, BlockPoint, HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import {
  createHttpReader,
  fromUnits,
  type HttpHoldingsOptions,
  heldTokens,
  plainDecimal,
  readPages,
  type Session,
} from '../../http-holdings/index.ts';

const service = 'The XRP Ledger node';
const xrpDecimals = 6;
const objectsPerPage = 400;
const maxPages = 50;

/**
 * Reads the XRP Ledger over JSON-RPC, everything at one validated ledger: `native`, `ft` with the reference `<currency>.<issuer>`, and
 * `nft` with `<issuer>.<taxon>` or an issuer alone. What an account owes does not count as held.
 */
export function createXrplHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const read = async (questions: readonly Question[], session: Session) => {
    const block = await findLedger(session);
    // All tokens of an account are in one list, and so are its lines to one issuer.
    const keyOf = ({ standard, account, reference }: Question) =>
      `${standard} ${account} ${standard === 'ft' ? parseXrplCurrency(reference)?.issuer : ''}`;
    return answerGroups(service, questions, { keyOf }, (group) => {
      if (group[0].standard === 'native') return readNative(group, block, session);
      return group[0].standard === 'ft' ? readLines(group, block, session) : readNfts(group, block, session);
    });
  };
  return createHttpReader({ service, standards: ['native', 'ft', 'nft'], hasHistory: true, read }, options);
}

/** Returns undefined if the account does not exist, which is how an account without a reserve appears. */
async function callRpc({ ask }: Session, method: string, params: Fields): Promise<Fields | undefined> {
  const { body } = await ask('/', { body: { method, params: [params] } });
  const result = fieldsOf(fieldsOf(body, 'the answer').result, 'the result');
  if (result.error === 'actNotFound') return undefined;
  if (result.error !== undefined) throw new ServiceFailed(`${service} could not answer (${codeOf(result.error)}).`);
  if (result.validated !== true) throw new ServiceFailed(`${service} answered from a ledger that is not validated.`);
  return result;
}

async function findLedger(session: Session): Promise<BlockPoint> {
  const wanted = session.block ? Number(session.block.number) : 'validated';
  const result = await callRpc(session, 'ledger', { ledger_index: wanted });
  const number = digitsOf(result?.ledger_index, 'the index of the ledger');
  return { number, hash: textOf(result?.ledger_hash, 'the hash of the ledger') };
}

async function readNative(group: QuestionGroup, block: BlockPoint, session: Session): Promise<readonly Answer[]> {
  const [{ account }] = group;
  const result = await callRpc(session, 'account_info', { account, ledger_index: Number(block.number) });
  const drops = result ? digitsOf(fieldsOf(result.account_data, 'the account').Balance, 'the balance') : '0';
  return group.map(() => ({ kind: 'read', amount: fromUnits(drops, xrpDecimals), block }));
}

async function readLines(group: QuestionGroup, block: BlockPoint, session: Session): Promise<readonly Answer[]> {
  const issuer = parseXrplCurrency(group[0].reference)?.issuer;
  if (issuer === undefined)
    return group.map(() => unknown('A token of the XRP Ledger is written as <currency>.<issuer>.'));
  const rows = await readList('account_lines', 'lines', { account: group[0].account, peer: issuer }, block, session);
  const parsed = rows.map((row) => ({
    peer: nameOf(row.account, 'an account'),
    currency: currencyOf(row.currency),
    balance: plainDecimal(row.balance, 'a balance'),
  }));
  const lines = distinct(parsed, ({ peer, currency }) => `${currency} ${peer}`);
  return toAnswers(service, group, ({ reference }) => {
    const currency = parseXrplCurrency(reference)?.currency;
    const balance = lines.find((line) => line.peer === issuer && line.currency === currency)?.balance ?? '0';
    return { kind: 'read', amount: balance.startsWith('-') ? '0' : balance, block };
  });
}

async function readNfts(group: QuestionGroup, block: BlockPoint, session: Session): Promise<readonly Answer[]> {
  const rows = await readList('account_nfts', 'account_nfts', { account: group[0].account }, block, session);
  const parsed = rows.map((row) => ({
    issuer: nameOf(row.Issuer, 'an issuer'),
    taxon: digitsOf(row.NFTokenTaxon, 'a taxon'),
    token: readNft(row),
  }));
  const nfts = distinct(parsed, ({ token }) => token.id);
  return toAnswers(service, group, (question) => {
    const collection = parseXrplCollection(question.reference);
    if (!collection) return unknown('A collection of the XRP Ledger is written as <issuer>.<taxon>.');
    const tokens = nfts
      .filter(({ issuer }) => issuer === collection.issuer)
      .filter(({ taxon }) => collection.taxon === undefined || taxon === collection.taxon)
      .map(({ token }) => token);
    return heldTokens(question, tokens, block);
  });
}

function readList(
  method: string,
  list: string,
  params: Fields,
  block: BlockPoint,
  session: Session,
): Promise<readonly Fields[]> {
  let marker: unknown;
  const tooMany = `${service} returned more pages for this account than the read limit.`;
  return readPages({ maxPages, tooMany }, async () => {
    const at = { ledger_index: Number(block.number), limit: objectsPerPage };
    const result = await callRpc(session, method, { ...params, ...at, ...(marker !== undefined && { marker }) });
    marker = result?.marker;
    const rows = result && listOf(result[list], 'the list').map((one) => fieldsOf(one, 'an entry'));
    return { rows: rows ?? [], isLast: marker === undefined };
  });
}

function readNft(nft: Fields): HeldToken {
  const uri = typeof nft.URI === 'string' ? Buffer.from(nft.URI, 'hex').toString('utf8') : '';
  return { id: nameOf(nft.NFTokenID, 'a token id'), amount: '1', ...(uri && { uri }) };
}

function currencyOf(value: unknown): string {
  const currency = parseXrplCurrency(`${textOf(value, 'a currency')}.r`)?.currency;
  if (currency === undefined) throw new Malformed('a currency is invalid');
  return currency;
}

// A node may return anything here; only protocol error codes are quoted.
function codeOf(error: unknown): string {
  return typeof error === 'string' && /^\w{1,40}$/.test(error) ? error : 'unnamed';
}

interface XrplCurrency {
  /** Three characters, or 40 hexadecimal digits in upper case. */
  currency: string;
  issuer: string;
}

/** Parses `<currency>.<issuer>`. Longer names are what wallets show for 40 hexadecimal digits. */
function parseXrplCurrency(reference: string): XrplCurrency | undefined {
  const [, written = '', issuer] = /^(.{3,40})\.(r[1-9A-HJ-NP-Za-km-z]{0,34})$/.exec(reference) ?? [];
  if (issuer === undefined) return undefined;
  const currency = spellCurrency(written);
  return currency === undefined ? undefined : { currency, issuer };
}

function spellCurrency(written: string): string | undefined {
  if (written.length === 3) return written;
  if (/^[0-9a-fA-F]{40}$/.test(written)) return spellHex(written.toUpperCase());
  const bytes = Buffer.from(written, 'utf8');
  return bytes.length > 20 ? undefined : bytes.toString('hex').toUpperCase().padEnd(40, '0');
}

// The digits of a standard code contain its three characters between zeros.
function spellHex(hex: string): string {
  const [, code] = /^0{24}((?:[2-7][0-9A-F]){3})0{10}$/.exec(hex) ?? [];
  return code === undefined ? hex : Buffer.from(code, 'hex').toString('latin1');
}

interface XrplCollection {
  issuer: string;
  /** Undefined for all tokens of the issuer. */
  taxon: string | undefined;
}

/** Parses `<issuer>.<taxon>` or an issuer alone. */
function parseXrplCollection(reference: string): XrplCollection | undefined {
  const [, issuer, taxon] = /^(r[1-9A-HJ-NP-Za-km-z]{24,34})(?:\.(\d{1,10}))?$/.exec(reference) ?? [];
  return issuer === undefined ? undefined : { issuer, taxon: taxon?.replace(/^0+(?=\d)/, '') };
}
