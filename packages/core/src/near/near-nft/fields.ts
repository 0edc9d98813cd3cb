import { inHeader, T, text } from '@latchkey/kernel';

export const accountPattern = '^[a-z0-9]+([-_.][a-z0-9]+)*$';
const amountPattern = '^[0-9]{1,39}$';

/** A NEAR account. */
export function accountId(description: string) {
  return text(description, { minLength: 2, maxLength: 64, pattern: accountPattern });
}

export function accountParam(description: string) {
  return T.String({ description, minLength: 2, maxLength: 64, pattern: accountPattern });
}

/** An integer in the smallest unit. */
export function amount(description: string) {
  return text(description, { maxLength: 39, format: 'BigNumber', pattern: amountPattern });
}

export function tokenId(description: string) {
  return text(description, { minLength: 1, maxLength: 256 });
}

export const chainId = T.Optional(
  text('The network, for example mainnet or near:mainnet; it must be the one that this server uses.', {
    maxLength: 32,
  }),
);

/** The header for the signatures that an earlier response requested. */
export const signatureParam = inHeader(
  T.Optional(
    T.String({
      description:
        'What `toSign` in an earlier response to the same request listed: for each transaction its signature (64 bytes) or the whole signed transaction, in base64, separated by commas.',
      minLength: 1,
      maxLength: 8192,
    }),
  ),
);

export const offsetParams = {
  offset: T.Optional(T.Number({ description: 'How many to skip.', minimum: 0, maximum: 1_000_000, multipleOf: 1 })),
  limit: T.Optional(
    T.Number({ description: 'How many to return. Defaults to 20.', minimum: 1, maximum: 100, multipleOf: 1 }),
  ),
};
