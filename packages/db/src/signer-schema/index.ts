export { signerRole, signerUrlOf } from './admit-signer.ts';
export { prepareSignerSchema, type SignerSchemaReport } from './prepare.ts';
