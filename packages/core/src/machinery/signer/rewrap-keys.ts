import { type RewrapReport, rewrapAll, type SealedColumn } from '../../developers/signing-keys/index.ts';
import { signerKeyCheck } from './check-master-key.ts';
import { keyPlace, type SignerContext } from './signer-context.ts';

const columns: readonly SealedColumn[] = [
  {
    table: 'signer.keys',
    column: 'private_key',
    idColumns: ['wallet_id', 'user_id'],
    placeOf: (walletId = '', userId = '') => keyPlace({ walletId, userId }),
  },
  signerKeyCheck,
];

/** Wraps the data key of every wallet under the current master key of the signer; no wallet's key is opened. */
export function rewrapKeys({ db, keyring }: Pick<SignerContext, 'keyring'> & RewrapDatabase): Promise<RewrapReport> {
  return rewrapAll({ db, keyring }, columns);
}

type RewrapDatabase = Pick<Parameters<typeof rewrapAll>[0], 'db'>;
