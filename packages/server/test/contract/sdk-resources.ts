/** The resources of suites that cover more than one, so that every resource is covered. */
export const aboutLogins = ['oauth2', 'user-authorizations'];
export const aboutHostedWallets = ['hosted-wallets', 'pkp'];
export const aboutPartners = ['kudos', 'nft-metadata', 'snapshot', 'support-tickets', 'waiting-list'];
export const aboutNear = ['near-indexer', 'near-nft'];
export const aboutMiniApps = ['hello-action', 'marketplace', 'miniapps'];
export const aboutPayments = ['payments'];
