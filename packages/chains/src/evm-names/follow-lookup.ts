import { type Egress, EgressFailed, EgressRefused } from '@latchkey/core/ports';
import { decodeErrorResult, encodeAbiParameters, isHex, parseAbi } from 'viem/utils';
import type { ChainView } from '../evm-holdings/chain-view.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { Unreadable } from '../evm-holdings/unreadable.ts';

/** The way to gateways, for one name. */
export interface Gateways {
  egress: Egress;
  /** Ends with the time that one name may take, whatever its gateways do. */
  signal: AbortSignal;
}

// The owner of a name chooses its resolver, and with it what is called here. ENS itself needs one round, or two where a
// resolver hands over to another one.
const maxRounds = 4;
const maxUrlsPerRound = 3;
const maxUrlLength = 2_000;
const maxAnswerBytes = 65_536;
const maxQuestionBytes = 16_384;

const abi = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
]);
const lookupSelector = '556f1830';

/**
 * Reads from a contract that may send its reader to a gateway and then wants to be called with its answer (EIP-3668,
 * CCIP-read). Undefined when the contract refuses; throws `Unreadable` when a gateway or a limit stands in the way.
 */
export async function readFollowing(
  view: ChainView,
  call: { to: Hex; data: Hex },
  gateways: Gateways,
): Promise<Hex | undefined> {
  let { data } = call;
  for (let round = 0; ; round += 1) {
    const result = await view.call(call.to, data);
    if ('reason' in result) throw new Unreadable(result.reason);
    if (result.isReturned) return `0x${result.data}`;
    if (!result.data.startsWith(lookupSelector)) return undefined;
    const lookup = readLookup(`0x${result.data}`);
    if (lookup === undefined || lookup.sender.toLowerCase() !== call.to) return undefined;
    if (round === maxRounds) throw new Unreadable(`The name is looked up in more than ${maxRounds} rounds.`);
    const answer = await askGateways(lookup, gateways);
    const bytes = [{ type: 'bytes' }, { type: 'bytes' }] as const;
    data = `${lookup.callback}${encodeAbiParameters(bytes, [answer, lookup.extraData]).slice(2)}`;
  }
}

interface Lookup {
  sender: Hex;
  urls: readonly string[];
  question: Hex;
  callback: Hex;
  extraData: Hex;
}

function readLookup(data: Hex): Lookup | undefined {
  try {
    const { args } = decodeErrorResult({ abi, data });
    const [sender, urls, question, callback, extraData] = args;
    return { sender, urls, question, callback, extraData };
  } catch {
    return undefined;
  }
}

/** The answer of the first gateway that gives one. */
async function askGateways(lookup: Lookup, { egress, signal }: Gateways): Promise<Hex> {
  if ((lookup.question.length - 2) / 2 > maxQuestionBytes)
    throw new Unreadable('The gateway of this name is to be asked more than is sent.');
  for (const url of lookup.urls.slice(0, maxUrlsPerRound)) {
    const answer = await askGateway(egress, url, lookup, signal).catch((error: unknown) => {
      if (signal.aborted) throw new Unreadable('The gateway of this name takes too long.');
      if (error instanceof EgressRefused || error instanceof EgressFailed) return undefined;
      throw error;
    });
    if (answer !== undefined) return answer;
  }
  throw new Unreadable('The gateway that this name points to cannot be used.');
}

async function askGateway(
  egress: Egress,
  template: string,
  { sender, question }: Lookup,
  signal: AbortSignal,
): Promise<Hex | undefined> {
  if (!template.startsWith('https://') || template.length > maxUrlLength) return undefined;
  const isGet = template.includes('{data}');
  const url = template.replace('{sender}', sender.toLowerCase()).replace('{data}', question);
  const post = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data: question, sender }) };
  const { status, body } = await egress.send({
    method: isGet ? 'GET' : 'POST',
    url,
    ...(!isGet && post),
    maxResponseBytes: maxAnswerBytes,
    signal,
  });
  return status === 200 ? readAnswer(Buffer.from(body).toString('utf8')) : undefined;
}

function readAnswer(text: string): Hex | undefined {
  try {
    const { data } = Object(JSON.parse(text));
    return isHex(data) && data.length % 2 === 0 ? data : undefined;
  } catch {
    return undefined;
  }
}
