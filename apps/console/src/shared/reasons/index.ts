export { ReasonTree, Why } from './why.tsx';
