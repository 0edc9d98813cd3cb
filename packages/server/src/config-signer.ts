import {
  databaseUrl,
  flag,
  masterKeys,
  number,
  optionalFlag,
  optionalNumber,
  plainHex,
  privateKey,
} from './config-kinds.ts';

/** The variables for hosted wallets: the signer, its policy, and the registry on a chain. */
export const signerVariables = {
  LATCHKEY_SIGNER: optionalFlag(
    'Whether `npm start` also runs the signer of hosted wallets. Defaults to yes if the signer has a database role.',
  ),
  LATCHKEY_SIGNER_DATABASE_URL: databaseUrl(
    'The same database with the signer’s own role. Not needed for the embedded database.',
  ),
  LATCHKEY_SIGNER_MASTER_KEYS: masterKeys(
    'Master keys of the signer as id:base64, current first. By default, one is generated in the data folder.',
  ),
  LATCHKEY_SIGNATURES_PER_MINUTE: number(
    'The maximum number of signatures per hosted wallet per minute.',
    10,
    1,
    10_000,
  ),
  LATCHKEY_SIGNATURES_PER_DAY: number('The maximum number of signatures per hosted wallet per day.', 200, 1, 1_000_000),
  LATCHKEY_TYPED_SIGNATURES_PER_DAY: number(
    'The maximum number of typed data and raw hash signatures per hosted wallet per day.',
    20,
    1,
    1_000_000,
  ),
  LATCHKEY_SIGN_HASHES: flag('Let hosted wallets sign raw hashes, confirmed with a passkey or a one-time password.'),
  LATCHKEY_STEP_UP_REST_HOURS: number(
    'How many hours a new passkey or authenticator app must wait before it can approve hosted-wallet signatures.',
    24,
    0,
    720,
  ),
  LATCHKEY_REGISTRY_CHAIN_ID: optionalNumber(
    'The EVM chain that hosted wallets are registered on.',
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  LATCHKEY_REGISTRY_ADDRESS: plainHex(
    'The address of the hosted-wallet registry on that chain. Without it, no wallet can be claimed.',
    20,
  ),
  LATCHKEY_REGISTRAR_KEY: privateKey(
    'The private key that writes to the registry. By default, one is generated and stored encrypted in the database.',
  ),
};

/** Everything that the signer reads: nothing else of the servers' environment, above all none of their keys. */
export const signerReads = [
  'LATCHKEY_DATA_DIR',
  'LATCHKEY_LOG_LEVEL',
  'LATCHKEY_DEBUG',
  'LATCHKEY_HOST',
  'LATCHKEY_PORT',
  'LATCHKEY_BASE_URL',
  'LATCHKEY_DATABASE_WAIT_SECONDS',
  'LATCHKEY_HANG_SECONDS',
  'LATCHKEY_SIGNER_DATABASE_URL',
  'LATCHKEY_SIGNER_MASTER_KEYS',
  'LATCHKEY_SIGNATURES_PER_MINUTE',
  'LATCHKEY_SIGNATURES_PER_DAY',
  'LATCHKEY_TYPED_SIGNATURES_PER_DAY',
  'LATCHKEY_SIGN_HASHES',
  'NODE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'PGSSLMODE',
  'PGSSLROOTCERT',
  'TZ',
] as const;

type Values = {
  [Name in keyof typeof signerVariables]: ReturnType<(typeof signerVariables)[Name]['read']>;
};

export function shapeSigner(values: Values) {
  return {
    signer: {
      isWanted: values.LATCHKEY_SIGNER,
      databaseUrl: values.LATCHKEY_SIGNER_DATABASE_URL,
      masterKeys: values.LATCHKEY_SIGNER_MASTER_KEYS,
      policy: {
        maxPerMinute: values.LATCHKEY_SIGNATURES_PER_MINUTE,
        maxPerDay: values.LATCHKEY_SIGNATURES_PER_DAY,
        maxTypedPerDay: values.LATCHKEY_TYPED_SIGNATURES_PER_DAY,
        allowsHashes: values.LATCHKEY_SIGN_HASHES,
      },
    },
    stepUpRestHours: values.LATCHKEY_STEP_UP_REST_HOURS,
    registry: {
      chainId: values.LATCHKEY_REGISTRY_CHAIN_ID,
      address: values.LATCHKEY_REGISTRY_ADDRESS,
      registrarKey: values.LATCHKEY_REGISTRAR_KEY,
    },
  };
}
