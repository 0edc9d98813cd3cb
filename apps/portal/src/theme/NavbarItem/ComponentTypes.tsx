import ComponentTypes from '@theme-original/NavbarItem/ComponentTypes';
import AskPlace from './Ask/index.tsx';

export default { ...ComponentTypes, 'custom-ask': AskPlace };
