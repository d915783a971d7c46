// The default theme with the fonts of the system.
export { default } from 'vitepress/theme-without-fonts';
