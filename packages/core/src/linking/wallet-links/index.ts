export { connectToCommunity } from './communities-of-link.ts';
export { disconnectWalletFrom, endLink, spellingsOf, unlinkAllWallets, unlinkWallet } from './disconnect-wallet.ts';
export {
  type LinkOutcome,
  linkWallet,
  moveLink,
  type NewLink,
  type Proof,
  type ProvenWallet,
  proveWallet,
  type SignedLink,
  saveLink,
  unavailable,
  type VerifiedChallenge,
  type WalletClaim,
} from './link-wallet.ts';
export { reportLink } from './report.ts';
