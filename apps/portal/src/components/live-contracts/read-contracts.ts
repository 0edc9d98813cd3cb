/** The governance contracts, as far as they are configured. */
export interface GovernanceContracts {
  chainId: number;
  governor?: string | undefined;
  timelock?: string | undefined;
  treasury?: string | undefined;
}

export interface Reading {
  block: string;
  rows: { what: string; value: string }[];
}

type Outcome = { result: unknown } | { error: unknown };
type Question = readonly [what: string, method: string, params: readonly unknown[]];

/** The selectors of the functions that are called. */
export const selectors = {
  'votingDelay()': '0x3932abb1',
  'votingPeriod()': '0x02a251a3',
  'proposalThreshold()': '0xb58131b0',
  'getMinDelay()': '0xf27a0c92',
} as const;

const patienceMs = 15_000;

/** Returns a public node of a chain, from the server. */
export async function findNode(apiUrl: string, chainId: number): Promise<string | undefined> {
  const networks = await readJson('The server', `${apiUrl}/evm/network-configs`);
  if (!Array.isArray(networks)) throw new Error('The server does not list the chains.');
  return (networks as { chainId?: number; rpcs?: string[] }[]).find((network) => network.chainId === chainId)
    ?.rpcs?.[0];
}

/** Reads the current values of the contracts from a node. Functions that a contract does not have are left open. */
export async function readContracts(
  nodeUrl: string,
  contracts: GovernanceContracts,
  timeoutMs = patienceMs,
): Promise<Reading> {
  const questions = questionsAbout(contracts);
  const requested = [['eth_chainId', []], ['eth_blockNumber', []], ...questions.map(([, ...call]) => call)] as const;
  const [chain, block, ...values] = await askAll(nodeUrl, requested, timeoutMs);
  if (numberIn(chain) !== BigInt(contracts.chainId)) throw new Error('The node is one of another chain.');
  const at = numberIn(block);
  if (at === undefined) throw new Error('The node does not say at which block it is.');
  return {
    block: at.toString(),
    rows: questions.map(([what], n) => ({
      what,
      value: numberIn(values[n])?.toString() ?? 'the contract does not say',
    })),
  };
}

function questionsAbout({ governor, timelock, treasury }: GovernanceContracts): Question[] {
  const call = (what: string, to: string | undefined, name: keyof typeof selectors): Question[] =>
    to === undefined ? [] : [[what, 'eth_call', [{ to, data: selectors[name] }, 'latest']]];
  return [
    ...call('Delay before a vote, in blocks or seconds by the contract’s clock', governor, 'votingDelay()'),
    ...call('Voting period, by the same clock', governor, 'votingPeriod()'),
    ...call('Proposal threshold, in the smallest unit of the token', governor, 'proposalThreshold()'),
    ...call('Least wait in the timelock, in seconds', timelock, 'getMinDelay()'),
    ...(treasury === undefined
      ? []
      : [['Coins in the treasury, in wei', 'eth_getBalance', [treasury, 'latest']] as const]),
  ];
}

async function askAll(
  nodeUrl: string,
  calls: readonly (readonly [method: string, params: readonly unknown[]])[],
  timeoutMs: number,
): Promise<(Outcome | undefined)[]> {
  const answers = await readJson('The node', nodeUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'omit',
    body: JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!Array.isArray(answers)) throw new Error('The node does not take several questions at once.');
  // Responses may be in any order.
  const byId = new Map(answers.map((answer: Outcome & { id: number }) => [answer.id, answer]));
  return calls.map((_, id) => byId.get(id));
}

/** Returns the JSON of a URL, or throws an error that names the service. */
async function readJson(who: string, address: string, init: RequestInit = {}): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(patienceMs), ...init });
  } catch {
    throw new Error(`${who} does not answer.`);
  }
  if (!answer.ok) throw new Error(`${who} answered ${answer.status}.`);
  return answer.json().catch(() => {
    throw new Error(`${who} sent an invalid response.`);
  });
}

function numberIn(outcome: Outcome | undefined): bigint | undefined {
  const value = outcome !== undefined && 'result' in outcome ? outcome.result : undefined;
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : undefined;
}
