export { type Erasure, isErased, type Person, pseudonymFor } from './erasure.ts';
