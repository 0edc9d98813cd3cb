import { baseOf, fieldsOf, nameOf, parseEntries, requestJson, ServiceFailed, unknown } from '@latchkey/adapter-kit';
import type { HoldingsReader, Question } from '@latchkey/core/ports';
import type { HttpHoldingsOptions } from '../http-holdings/index.ts';

const service = 'Roll';

export interface RollHoldingsOptions extends HttpHoldingsOptions {
  /** Reads the ERC-20 tokens behind the symbols. */
  tokens: HoldingsReader;
}

/** Reads `roll` on Ethereum: social tokens by symbol. Roll only maps the symbol to a contract; the balance is read from the chain. */
export function createRollHoldings(options: RollHoldingsOptions): HoldingsReader {
  const { url, timeoutMs, fetch, tokens } = options;
  const listTokens = async (signal: AbortSignal | undefined) => {
    const { body } = await requestJson(`${baseOf(url)}/v2/tokens`, { service, fetch, timeoutMs, signal });
    return parseEntries(body, { source: service, kind: 'token' }, parseToken).entries;
  };
  return {
    reads: ({ chain, standard }) =>
      chain === 'evm:1' && standard === 'roll' && tokens.reads({ chain, standard: 'erc20' }),
    read: async (questions, given = {}) => {
      const listed = await listTokens(given.signal).catch((error: unknown) =>
        error instanceof ServiceFailed ? error.message : `${service} sent an invalid response.`,
      );
      if (typeof listed === 'string') return questions.map(() => unknown(listed));
      const requested = questions.map((question) => toErc20(question, listed));
      const got = await tokens.read(
        requested.flatMap((question) => question ?? []),
        given,
      );
      const answers = got.values();
      return requested.map((question) => {
        if (question === undefined) return unknown(`${service} does not list exactly one token with this symbol.`);
        return answers.next().value ?? unknown('The chain reader returned no result.');
      });
    },
  };
}

interface Listed {
  symbol: string;
  contractAddress: string;
}

function parseToken(value: unknown): Listed {
  const { symbol, contractAddress } = fieldsOf(value, 'a token');
  return { symbol: nameOf(symbol, 'a symbol'), contractAddress: nameOf(contractAddress, 'a contract') };
}

function toErc20(question: Question, listed: readonly Listed[]): Question | undefined {
  const symbol = question.reference.replace(/^\$/, '').toUpperCase();
  // Anyone who could list a second token under a symbol could give its holders the roles of the first.
  const [found, ...others] = listed.filter((token) => token.symbol.toUpperCase() === symbol);
  const address = found?.contractAddress ?? '';
  if (others.length > 0 || !/^0x[0-9a-fA-F]{40}$/.test(address)) return undefined;
  return { ...question, standard: 'erc20', reference: address };
}
