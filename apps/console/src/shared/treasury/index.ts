export { TreasuryView } from './treasury.tsx';
