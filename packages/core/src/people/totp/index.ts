export { totpFeature } from './feature.ts';
export { totpSealed } from './sealed-columns.ts';
export { verifyTotp, verifyTotpEnrolledBefore } from './verify.ts';
