export { createXLogin, type XLoginOptions } from './create-x-login.ts';
