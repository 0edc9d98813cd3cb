export { totpErasure } from './forget.ts';
export { totpJobs, totpSchedules } from './jobs.ts';
export { totp } from './operations.ts';
export { totpSealed } from './sealed-columns.ts';
export { replaceTotp, verifyTotp, verifyTotpEnrolledBefore } from './verify.ts';
