import { evmNetworks } from '@latchkey/core';
import { assetKinds } from '@latchkey/core/facts';
import { readDescription } from '../reference/read-description.ts';
import type { RuleFacts } from '../src/components/rule-builder/rule-facts.ts';

/** Returns the facts for the rule builder, from the code that reads rules and the schema that the API publishes. */
export function ruleFacts(description: unknown): RuleFacts {
  const fields =
    readDescription(description)?.components.schemas.TokenGatingRequest?.properties?.rules?.items?.properties;
  if (fields === undefined) throw new Error('The schema TokenGatingRequest describes no rules any more.');
  return {
    kinds: assetKinds.map(({ name, chain, from, fallback, form, tokenIds }) => ({
      name,
      place: typeof chain === 'string' ? chain : { chainId: chain.evm ?? null },
      namedBy: [...from],
      needsName: from.length > 0 && fallback === undefined,
      isEvmAddress: form === 'evm-address',
      tokenIds: tokenIds ?? 'none',
    })),
    chains: evmNetworks.map(({ chainId, description }) => ({ id: Number(chainId), name: description })),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, { type, anyOf = [], description = '', maxLength }]) => [
        name,
        {
          types: (anyOf.length > 0 ? anyOf.map((one) => one.type) : [type]).map((one = 'object') => String(one)),
          description,
          ...(maxLength !== undefined && { maxLength }),
        },
      ]),
    ),
  };
}
