export {
  fence,
  fencedBy,
  type Lease,
  LeaseLostError,
  type LeaseOptions,
  type Leases,
  openLeases,
} from './leases.ts';
export { leaseMetrics, selectRenewals } from './metrics.ts';
export type { HeldName } from './queries.ts';
