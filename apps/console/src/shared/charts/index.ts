export { BarChart } from './bar-chart.tsx';
export { LineChart } from './line-chart.tsx';
