// The default theme with the fonts of the system, and diagrams.
import DefaultTheme from 'vitepress/theme-without-fonts';
import Mermaid from './Mermaid.vue';

export default { extends: DefaultTheme, enhanceApp: ({ app }) => app.component('Mermaid', Mermaid) };
