// Jest loads this one without its module mapper, which knows what `.js` stands for.
export { end as default } from './run';
