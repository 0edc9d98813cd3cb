export { ReasonTree } from './reason-tree.tsx';
export { Why } from './why.tsx';
