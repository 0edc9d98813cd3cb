export { webauthnFeature } from './feature.ts';
export { generateApprovalOptions } from './generate-approval-options.ts';
export { AuthenticationOptions } from './options-records.ts';
export { type CredentialRow, listCredentials } from './queries.ts';
export { pickUpSignIn } from './store-authentication.ts';
