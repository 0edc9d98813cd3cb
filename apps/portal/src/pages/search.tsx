export { default } from '../search/search-page.tsx';
