/** The resources of each suite that is about more than one, so that none is left to nobody. */
export const aboutLogins = ['oauth2', 'user-authorizations'];
export const aboutHostedWallets = ['hosted-wallets', 'pkp'];
export const aboutPartners = ['kudos', 'nft-metadata', 'snapshot', 'support-tickets', 'waiting-list'];
export const aboutNear = ['near-indexer', 'near-nft'];
export const aboutMiniApps = ['hello-action', 'marketplace', 'miniapps'];
export const aboutPayments = ['payments'];
