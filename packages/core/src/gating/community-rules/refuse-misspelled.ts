import { AppError, type ErrorDetail, isObject } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

/** The fields of a rule, and of the rules in a tree, that hold contract addresses. */
const addressFields: ReadonlySet<string> = new Set(['contractAddress', 'asset', '_asset', '_to', '_args']);
const address = /\b0x[0-9a-fA-F]{40}\b/g;

/**
 * Refuses a rule with an EVM address whose mixed case does not match EIP-55: a letter was mistyped, or its case was
 * changed. Addresses in a single case have no checksum. Rules that are only evaluated skip this check, as in the
 * published API.
 */
export function refuseMisspelled({ wallets }: Pick<Context, 'wallets'>, rule: Record<string, unknown>): void {
  const found = misspelledIn(rule, '', false, (text) => wallets.evm.normalizeAddress(text, '') === undefined);
  const [first] = found;
  if (first === undefined) return;
  const details = found.map(
    ({ path, text }): ErrorDetail => ({ path, code: 'checksum', message: sayMisspelled(text) }),
  );
  throw new AppError('VALIDATION_FAILED', `The body at ${first.path} cannot be used. ${sayMisspelled(first.text)}`, {
    details,
  });
}

function sayMisspelled(text: string): string {
  return `The address ${text} has a wrong checksum (EIP-55). Check it for typos, or write it in lower case.`;
}

function misspelledIn(
  value: unknown,
  path: string,
  isAddress: boolean,
  isWrong: (text: string) => boolean,
): { path: string; text: string }[] {
  if (typeof value === 'string') {
    const mixed = isAddress ? (value.match(address) ?? []).filter(isMixed) : [];
    return mixed.filter(isWrong).map((text) => ({ path, text }));
  }
  const entries = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  return [...entries].flatMap(([key, part]) =>
    misspelledIn(part, `${path}/${key}`, Array.isArray(value) ? isAddress : addressFields.has(String(key)), isWrong),
  );
}

function isMixed(text: string): boolean {
  const digits = text.slice(2);
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
}
