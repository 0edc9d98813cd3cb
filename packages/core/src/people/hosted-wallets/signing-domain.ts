import { asAddress, asInteger, type TypedData } from './typed-data.ts';

/**
 * The one name of a domain in the lists of applications: the contract and its chain, or the name of a domain without a
 * contract. Undefined for a domain that nothing tells from others.
 */
export function domainNameOf({ domain }: Pick<TypedData, 'domain'>): string | undefined {
  if (Object.hasOwn(domain, 'verifyingContract')) {
    const contract = asAddress(domain.verifyingContract);
    if (contract === undefined) return undefined;
    if (!Object.hasOwn(domain, 'chainId')) return `${contract}@any`;
    const chain = asInteger(domain.chainId);
    return chain === undefined || chain < 0n ? undefined : `${contract}@${chain}`;
  }
  return readDomainName(`name:${typeof domain.name === 'string' ? domain.name : ''}`);
}

/** The same from what an operator types. Undefined when it is no name of a domain. */
export function readDomainName(text: string): string | undefined {
  const [, contract, chain] = /^(0x[0-9a-f]{40})@([0-9]{1,78}|any)$/i.exec(text) ?? [];
  if (contract !== undefined && chain !== undefined)
    return `${contract.toLowerCase()}@${/^\d/.test(chain) ? BigInt(chain) : 'any'}`;
  return /^name:[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u.test(text) ? text : undefined;
}
