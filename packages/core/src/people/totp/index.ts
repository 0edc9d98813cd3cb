export { totpFeature } from './feature.ts';
export { totpSealed } from './sealed-columns.ts';
export { replaceTotp, verifyTotp, verifyTotpEnrolledBefore } from './verify.ts';
