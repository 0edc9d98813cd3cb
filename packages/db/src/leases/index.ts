export { fence, type Lease, LeaseLostError, type LeaseOptions, type Leases, leaseTtlMs, openLeases } from './leases.ts';
export type { HeldName } from './queries.ts';
