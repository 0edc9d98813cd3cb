export { redditConsentFeature } from './feature.ts';
export { consentPage } from './return-page.ts';
