import type { Abi } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { toNumber, toSigned } from '../decode-words.ts';
import { contractOf, findDecimals, type Reading, readWords, type Standard, toWhole } from '../reading.ts';
import { NotCallable } from '../unreadable.ts';

/**
 * Reads a view function for the account: a number, or 1 for true. `function` is its name or signature, `args` a JSON list in which
 * `$account` is replaced by the account; without it the account is the only argument. The number is an integer unless `decimals` gives its
 * decimal places, or is `token` to use the contract's own.
 */
export const readCall: Standard = async (reading) => {
  const contract = contractOf(reading);
  const { abi, name, isSigned } = functionOf(reading);
  const [first = ''] = await readWords(reading.view, contract, encode(abi, name, reading), name);
  const value = isSigned ? toSigned(first) : toNumber(first);
  return { amount: toWhole(value, await decimalsOf(reading)) };
};

interface ViewFunction {
  abi: Abi;
  name: string;
  isSigned: boolean;
}

function functionOf({ question }: Reading): ViewFunction {
  const { functionName = '', signature = functionName, function: given = signature } = question.details ?? {};
  const spelled = given.trim().replace(/^function\s+/, '');
  const [, name = '', parameters = '(address)', returns = ''] =
    /^([A-Za-z_$][\w$]{0,99})\s*(\([^()]*\))?[^()]*(?:returns\s*\(\s*(\w+)[^()]*\))?\s*;?$/.exec(spelled) ?? [];
  if (name === '') throw new NotCallable('The rule has no callable function.');
  try {
    const abi = parseAbi([`function ${name}${parameters} view returns (uint256)`] as readonly string[]);
    return { abi, name, isSigned: /^int\d*$/.test(returns) };
  } catch {
    throw new NotCallable(`The function ${name} cannot be parsed.`);
  }
}

function encode(abi: Abi, functionName: string, { question, account }: Reading) {
  try {
    const given: unknown = JSON.parse(question.details?.args ?? '["$account"]');
    const args = Array.isArray(given)
      ? given.map((arg: unknown) => (arg === '$account' ? account : toArgument(arg)))
      : [];
    return encodeFunctionData({ abi, functionName, args });
  } catch {
    throw new NotCallable(`The function ${functionName} cannot be called with these arguments.`);
  }
}

// JSON has no 256-bit numbers, so they are written as strings.
function toArgument(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'string' && /^-?\d{1,78}$/.test(value) ? BigInt(value) : value;
}

async function decimalsOf(reading: Reading): Promise<number> {
  const given = reading.question.details?.decimals ?? '0';
  if (given === 'token') return (await findDecimals(reading.view, contractOf(reading))) ?? 0;
  return /^\d{1,2}$/.test(given) ? Number(given) : 0;
}
