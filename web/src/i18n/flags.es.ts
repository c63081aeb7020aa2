// Qué significa cada flag y por qué importa, en español. El original está en `crates/tamiz/src/flags/registry.rs`; una
// prueba mira que no falte ni sobre ninguna.

/** Lo que se dice de una flag. */
export interface Told {
  readonly meaning: string;
  readonly why: string;
}

const told = (meaning: string, why: string): Told => ({ meaning, why });

export const flagsEs: Readonly<Record<string, Told>> = {
  // encoding
  B64TEXT: told(
    "Un valor, o lo que otras decodificaciones hacen de él, es Base64 de un texto legible, que también se examina.",
    "Las aplicaciones envuelven datos en Base64, y también quien esconde un ataque.",
  ),
  BADPCT: told("Un `%` que no empieza ningún escape válido.", "Cada decodificador hace con él una cosa distinta."),
  BADUTF8: told(
    "Bytes que no son UTF-8: otro juego de caracteres, o una codificación rota.",
    "Cada capa los lee a su manera; `OVERLONG` dice dónde es una evasión.",
  ),
  DOUBLEPCT: told(
    "Después de decodificar una vez queda un `%hh` válido, o los bytes codificados con porcentaje no son UTF-8.",
    "Las URL dentro de otras URL se codifican dos veces, y los ataques también: `PCTVALUE` dice dónde una segunda capa esconde algo.",
  ),
  HTMLENT: told(
    "Se ha decodificado una entidad HTML en la ruta o en la consulta, o esconde una flag en otro lugar.",
    "Las entidades no significan nada en una URL: están para la página o el filtro que las decodifique después.",
  ),
  MULTIENC: told(
    "Dónde hay una segunda capa de codificación: la clave, o `path`.",
    "Une la doble codificación al campo que la lleva.",
  ),
  OVERLONG: told(
    "Bytes que no son UTF-8 y que un decodificador tolerante lee como otro carácter, o con los que se traga un delimitador.",
    "Un filtro que lee UTF-8 con rigor no ve la barra, el ángulo o la comilla que recibe la aplicación.",
  ),
  PCTBACKSLASH: told("La ruta muestra `%5C`.", "Algunos servidores toman la barra invertida por un separador."),
  PCTDELIM: told("La ruta muestra `%3F`, `%23` o `%3B`.", "Una capa que los decodifica corta la ruta por otro sitio."),
  PCTSLASH: told(
    "La ruta muestra `%2F`.",
    "Algunos servidores lo convierten en un separador después de comprobar las reglas de acceso.",
  ),
  PCTU: told(
    "Un escape `%uXXXX`.",
    "Solo los viejos servidores de Microsoft lo decodifican; en los demás esconde caracteres.",
  ),
  PCTUNRES: told(
    "Una letra, una cifra, `-`, `.` o `_` iba codificada con porcentaje en la ruta o en la consulta.",
    "Nadie honrado escribe `/%61dmin`.",
  ),
  PCTVALUE: told(
    "Otra decodificación de porcentajes añade una flag que delata, o da a una ruta uno de `/ \\ . %`.",
    "Un filtro que decodifica una vez ve un escape donde un servidor que decodifica otra vez ve el ataque.",
  ),

  // unicode
  BESTFIT: told(
    "Un carácter que se vuelve peligroso con NFKC o con una conversión por parecido.",
    "El filtro ve una letra rara; la aplicación, una comilla o un ángulo.",
  ),
  COMPAT: told(
    "NFKC cambia un campo estructural en algo más que la composición o la anchura.",
    "Ligaduras, superíndices y símbolos con forma de letra se vuelven otras letras más adelante.",
  ),
  CONTROL: told(
    "Un carácter de control, un separador de línea o un control bidireccional, tal cual o decodificado.",
    "Los controles cortan cadenas, líneas y terminales, y cambian el orden de lo que se lee.",
  ),
  FULLWIDTH: told(
    "Una forma de ancho completo o de medio ancho en el método, en el nombre de una cabecera, en la ruta, en el host o en una clave de la consulta.",
    "Esas formas se vuelven ASCII en una capa que normaliza, cuando el filtro ya ha mirado.",
  ),
  IDNA: told(
    "El host tenía etiquetas Unicode y se ha convertido a ASCII.",
    "Los nombres fuera de ASCII pueden parecerse a otros.",
  ),
  INVISIBLE: told(
    "Un carácter que no se ve: de ancho cero, guion opcional, marca de orden de bytes, etiqueta.",
    "Los caracteres invisibles parten las palabras que buscan los filtros.",
  ),
  MIXEDSCRIPT: told(
    "Letras latinas, cirílicas y griegas mezcladas en una misma palabra.",
    "Homógrafos: el ojo y la máquina leen nombres distintos.",
  ),

  // path
  BADTARGET: told(
    "El destino tiene una forma que su método no admite, un esquema desconocido o ninguna forma.",
    "Proxies y servidores no se ponen de acuerdo en qué nombra un destino así.",
  ),
  DOTCUR: told("Se ha quitado un segmento `.`.", "Es otra forma de escribir una ruta."),
  DOTDOT: told(
    "Un segmento `..`, que nunca se resuelve, también detrás de `;`, de `\\` o de un delimitador codificado.",
    "Salto de directorio.",
  ),
  DOTDOTN: told("La serie más larga de `..` seguidos.", "Hasta dónde llega el salto de directorio."),
  DOTTAIL: told(
    "Un segmento que termina en `.`, en un espacio o en `::$DATA`.",
    "Windows los descarta, así que `file.asp.` es `file.asp`.",
  ),
  FRAGMENT: told(
    "Un `#` tal cual en el destino.",
    "Los clientes nunca envían fragmentos; unos servidores cortan ahí y otros no.",
  ),
  HOME: told("La ruta es `/`.", "La ruta más corriente que hay."),
  MULTIPLESLASH: told(
    "Varias `/` seguidas reducidas a una.",
    "Las reglas de acceso que comparan rutas como texto no ven `//admin`.",
  ),
  NETPATH: told(
    "El destino empieza por `//`, `/\\`, `\\` o algo de eso codificado.",
    "Leído como ruta de red, el primer segmento pasa a ser un host.",
  ),
  PATHPARAM: told(
    "Un `;` en un segmento de la ruta.",
    "Unos servidores descartan los parámetros de matriz y otros los conservan.",
  ),
  PERCENT_IN_PATH: told(
    "Queda un `%` suelto en la ruta después de decodificarla.",
    "Lo que para una capa parece un escape, para otra es texto.",
  ),
  ROOTTRAV: told("Los segmentos `..` suben por encima de la raíz.", "Ningún enlace honrado se sale de la raíz."),
  TRAILSLASH: told(
    "Se ha quitado una `/` final.",
    "Dos formas de escribir una ruta que algunos servidores tratan de distinta manera.",
  ),

  // query
  QARRAY: told("Una clave que termina en `[]`.", "Cambia el tipo que algunos frameworks entregan a la aplicación."),
  QBARE: told("Un elemento sin `=`.", "Unos lo leen como clave y otros como valor."),
  QEMPTYVAL: told("Un par con `=` y nada detrás.", "Un formulario enviado a medio rellenar."),
  QLONG: told(
    "Un valor de más de 1024 bytes una vez decodificado.",
    "En valores largos viajan desbordamientos, cargas codificadas y documentos enteros.",
  ),
  QNONASCII: told(
    "Una clave o un valor fuera de ASCII una vez decodificado.",
    "Corriente en nombres de personas y lugares; raro en identificadores.",
  ),
  QNUL: told(
    "Un NUL decodificado en un valor de la consulta.",
    "Corta la cadena en los lenguajes que terminan las cadenas con NUL.",
  ),
  QRAWSEMI: told("Un `;` que no separa nada.", "Un analizador que corta ahí ve otros parámetros."),
  QREPEAT: told(
    "Una clave que aparece más de una vez.",
    "Contaminación de parámetros: puede contar la primera, la última o todas.",
  ),
  QSEMISEP: told("Los pares se separan con `;`.", "Una vieja costumbre que solo siguen algunos analizadores."),

  // danger
  ANGLE: told(
    "Un signo de ángulo, `<` o `>`.",
    "Marcado: scripts entre sitios, XML, inclusiones en el servidor.",
  ),
  BACKSLASH: told(
    "Una barra invertida, `\\`.",
    "Escapes, rutas de Windows y, para algunos analizadores, un separador.",
  ),
  BACKTICK: told(
    "Un acento grave suelto en un valor.",
    "Las shells ejecutan lo que hay entre dos de ellos; las bases de datos encierran nombres con ellos.",
  ),
  BRACE: told("Una llave, `{` o `}`.", "Plantillas, operadores JSON y grupos de la shell."),
  DOLLAR: told(
    "`$(`, `${` o `$` delante de una letra, en un valor.",
    "Shells, plantillas y servidores lo sustituyen por otra cosa.",
  ),
  NUL: told(
    "Un NUL, tal cual o decodificado.",
    "Corta la cadena en los lenguajes que terminan las cadenas con NUL.",
  ),
  PAREN: told("Un paréntesis, `(` o `)`.", "Llama a una función."),
  PIPE: told("Una barra vertical, `|`.", "Encadena órdenes."),
  QUOTE: told("Una comilla, `'` o `\"`.", "Se sale de las cadenas en SQL, en marcado y en scripts."),
  SEMICOLON: told("`;` en un valor, una clave o un segmento.", "Termina una sentencia o una orden."),
  SPACE: told(
    "Un espacio en una clave de la consulta, o en un extremo de un segmento de la ruta; en `core`, en cualquier parte del segmento.",
    "Las líneas de petición se cortan por los espacios.",
  ),

  // content
  CRLFINJ: told(
    "Un fin de línea decodificado y, detrás, `nombre:`.",
    "Un servidor que lo copie en una cabecera escribe la cabecera del atacante.",
  ),
  GZIPMAGIC: told(
    "Un valor empieza por los bytes mágicos de gzip.",
    "Los datos comprimidos no enseñan lo que dicen a quien no los descomprime.",
  ),
  KW: told(
    "Una palabra o expresión de las que están hechos los ataques de una clase: `sql`, `shell`, `php`, `java`, `js`, `file`, `jndi`, `ssti`, `xxe`, `nosql` o `ldap`.",
    "Las palabras son lo que queda a la vista de un ataque que esconde su puntuación.",
  ),
  "KW:file": told(
    "El nombre de un fichero que los atacantes leen: del sistema, de configuración, de claves, de control de versiones.",
    "Lo piden el salto de directorio y la inclusión de ficheros, y los escáneres lo prueban en cada sitio.",
  ),
  "KW:java": told(
    "Una clase, un método o una expresión de Java: OGNL, SpEL, piezas de objetos serializados.",
    "Los frameworks que evalúan expresiones o recuperan objetos la ejecutan en el servidor.",
  ),
  "KW:jndi": told(
    "Una búsqueda JNDI, o una expresión que la esconde.",
    "Un registro que resuelve búsquedas carga código del host que nombra (Log4Shell).",
  ),
  "KW:js": told(
    "Una función, un objeto o un manejador de eventos de JavaScript, o una etiqueta que lo ejecuta.",
    "Mostrada en una página, se ejecuta en el navegador de quien la mira; en un servidor JavaScript, allí.",
  ),
  "KW:ldap": told(
    "Un filtro o un atributo de LDAP.",
    "Dentro de un filtro, cambia a quién encuentra el directorio.",
  ),
  "KW:nosql": told(
    "Un operador o una función de una base de datos de documentos.",
    "Convierte un valor en una condición, o se ejecuta como código de la base de datos.",
  ),
  "KW:php": told(
    "Una función, una variable o un envoltorio de flujo de PHP.",
    "El código que se evalúa, se incluye o se llama por su nombre lo ejecuta en el servidor.",
  ),
  "KW:shell": told(
    "Una orden con sus argumentos, la ruta de un programa o una construcción de un intérprete de órdenes.",
    "Un programa que construye con ella una línea de órdenes ejecuta la del atacante.",
  ),
  "KW:sql": told(
    "Una sentencia, una función o una condición de SQL.",
    "Dentro de una consulta, lee o cambia lo que no debía.",
  ),
  "KW:ssti": told(
    "Una expresión de un motor de plantillas.",
    "Al componer la plantilla, se evalúa en el servidor.",
  ),
  "KW:xxe": told(
    "Una declaración de un tipo de documento, de una entidad o de una inclusión de XML.",
    "Un analizador que la obedece lee ficheros, pregunta a otros hosts o llena su memoria.",
  ),
  MARKER: told(
    "Un valor que es exactamente una de las marcas de esta forma.",
    "O es un documento devuelto como petición, o alguien que se hace pasar por oculto.",
  ),
  REDIRECT: told(
    "El valor de una clave que dice adónde ir empieza por `//` o `/\\` y un host.",
    "Parece una ruta de este sitio, y los navegadores la siguen a otro.",
  ),
  RFI: told(
    "Un valor que es todo URL, escrito como las inclusiones remotas: esquema en mayúsculas y minúsculas, `?` al final, o clave sin valor.",
    "Un script que incluye lo que nombra un parámetro ejecuta el código de otro host; el `?` corta lo que añade.",
  ),
  SERIAL: told(
    "Un objeto serializado: `java`, `php`, `python`, `dotnet` o `ruby`.",
    "Leerlo puede ejecutar código.",
  ),
  SHELLOP: told(
    "Un operador de la shell: `&&`, `||`, `;` o `|` delante de una palabra, `>/`.",
    "Ejecuta una segunda orden o escribe en un fichero.",
  ),
  SQLCMT: told(
    "Un comentario SQL: `--` delante de un espacio o del final, `/*`, o un `#` final después de una comilla.",
    "Corta el resto de una consulta, o hace de espacio donde los filtros buscan uno.",
  ),
  TPL: told(
    "El comienzo de una expresión de plantilla: `${`, `{{`, `{%`, `<%`, `#{`.",
    "Los motores de plantillas evalúan en el servidor lo que sigue.",
  ),
  URLIP: told(
    "Una URL en un valor cuyo host es una dirección.",
    "Los enlaces honrados nombran hosts; los escáneres y el malware dan direcciones, escritas de formas raras.",
  ),
  URLLOCAL: told(
    "Una URL en un valor cuyo host es local, de enlace local, privado o un servicio de metadatos.",
    "Hace que el servidor pregunte a su propia red.",
  ),
  URLVALUE: told(
    "Una URL en un valor, por su esquema.",
    "Redirecciones, avisos y peticiones del servidor van adonde dice.",
  ),

  // header
  BADHDRLINE: told(
    "Una línea de cabecera sin dos puntos.",
    "Unos analizadores la descartan y otros la unen a su vecina.",
  ),
  BADHDRNAME: told(
    "Un nombre de cabecera que no es un token, o que tiene `_` o espacio antes de los dos puntos; o un `Host` con un carácter prohibido.",
    "Los proxies quitan, dejan o reescriben esos nombres, y dos capas ven dos peticiones.",
  ),
  BADHOST: told(
    "No hay un host válido donde hace falta, el puerto es malo o hay un segundo `Host`.",
    "Cachés, enrutadores y aplicaciones adivinan cada uno un host.",
  ),
  DUPHDR: told(
    "Una cabecera que aparece más de una vez.",
    "Según la capa puede contar la primera, la última o las dos.",
  ),
  HOPBYHOP: told(
    "Una cabecera pensada para un solo salto.",
    "Permite a un cliente quitar o cambiar cabeceras entre dos proxies.",
  ),
  HOSTDOT: told("Se ha quitado el punto final del host.", "El mismo host con otro nombre."),
  HOSTMISMATCH: told(
    "El host del destino no es el de `Host`.",
    "Se encamina por uno y se autoriza por el otro.",
  ),
  METHODOVERRIDE: told(
    "Una cabecera que pide otro método.",
    "Convierte un POST permitido en un DELETE prohibido.",
  ),
  UNKHDR: told(
    "Una cabecera que no está en la lista de las conocidas.",
    "Las cabeceras raras merecen una mirada.",
  ),
  XFF: told("Está `X-Forwarded-For` o `Forwarded`.", "Ha pasado por un proxy, o lo finge."),

  // whitespace
  BADCRLF: told(
    "Un CR o un LF donde no termina ninguna línea, o un NUL.",
    "Una capa que termina ahí la línea lee otra cabecera, u otra petición.",
  ),
  BADHDRCONT: told(
    "Una línea de continuación sin ninguna cabecera delante.",
    "Unos servidores pasan por alto la primera línea de cabecera y otros la toman por parte de la línea de petición.",
  ),
  LEADCRLF: told(
    "Líneas vacías antes de la línea de petición.",
    "Restos de un cuerpo que era más largo de lo que decía.",
  ),
  OBSFOLD: told(
    "Una cabecera doblada en varias líneas.",
    "Prohibido desde 2014; las capas que no la desdoblan ven otras cabeceras.",
  ),
  WSPAD: told(
    "Espacio en blanco recortado o reducido en el valor de una cabecera.",
    "El relleno esconde valores a las comparaciones exactas.",
  ),

  // framing
  BADCHUNK: told(
    "Un cuerpo por trozos que no sigue su gramática hasta el último byte.",
    "Cada analizador se recupera a su manera de un trozo malo.",
  ),
  BADCL: told(
    "Un `Content-Length` que no es todo cifras, o que se repite con otro valor.",
    "Los analizadores que leen `+5`, `5, 6` o `0x5` de otra manera cortan la petición en otro sitio.",
  ),
  BADREQLINE: told(
    "Una línea de petición a la que le falta una parte o le sobra espacio, con un método que no es un token o con una versión desconocida.",
    "Los analizadores tolerantes y los estrictos leen en ella peticiones distintas.",
  ),
  BADTE: told(
    "Un `Transfer-Encoding` que no es exactamente `chunked`, o que se repite.",
    "Una capa que no lo reconoce recurre a otra longitud.",
  ),
  CAPPED: told(
    "Se ha llegado a un límite: no se muestra todo, o no se ha leído todo.",
    "Rellenar una petición más allá de un límite es como los ataques se salen de la parte que se mira.",
  ),
  CHUNKEXT: told(
    "Una extensión de trozo.",
    "Nadie las usa, salvo quien busca analizadores que las lean mal.",
  ),
  CLMISMATCH: told(
    "La longitud, 0 si no hay ninguna, no es la de los bytes que hay.",
    "Lo que sobra es el comienzo de otra petición, o el cuerpo está cortado.",
  ),
  CLTE: told(
    "`Content-Length` y `Transfer-Encoding` a la vez.",
    "Dos capas que obedecen cada una a uno ven peticiones distintas: la raíz del contrabando de peticiones.",
  ),
  HIDDENHDR: told(
    "`Transfer-Encoding`, `Content-Length` o `Host` donde no es claramente una cabecera.",
    "Una capa ve ahí una cabecera y otra no.",
  ),
  HTTP09: told("No hay versión.", "HTTP/0.9, o una línea rota."),
  HTTP10: told("HTTP/1.0.", "Clientes viejos, scripts sencillos y trucos para bajar de versión."),
  NOEOH: told(
    "La entrada se acaba antes de la línea en blanco que cierra las cabeceras.",
    "Una petición cortada, o una que hace esperar al servidor.",
  ),
  TRAILER: told(
    "Campos después del último trozo.",
    "Algunos servidores los unen a las cabeceras cuando estas ya se han comprobado.",
  ),

  // body
  BADBODY: told(
    "El cuerpo no es lo que dice su tipo o su codificación.",
    "Los analizadores se recuperan de formas distintas, o se rinden y lo dejan pasar.",
  ),
  BADBOUNDARY: told(
    "Un cuerpo multipart cuyo delimitador falta, es ilegal, no aparece o nunca se cierra.",
    "Los analizadores cortan un cuerpo así por sitios distintos, o por ninguno.",
  ),
  BODYCHARSET: told(
    "Un juego de caracteres que no es UTF-8, ASCII ni Latin-1.",
    "En UTF-7, UTF-16 o EBCDIC un ataque tiene otros bytes que los que busca un filtro.",
  ),
  BODYENC: told("Una codificación del cuerpo o de una parte de él.", "Quien no la deshace no ve lo que hay dentro."),
  BODYFORM: told("El cuerpo es un formulario.", "Los formularios y las API son tráficos distintos."),
  CTMISMATCH: told(
    "El cuerpo es claramente de otro tipo que el que dice.",
    "El filtro lo lee por su tipo y la aplicación por su contenido.",
  ),
  DOCTYPE: told(
    "Un cuerpo XML con una declaración de tipo de documento.",
    "Las declaraciones pueden nombrar ficheros y hosts que el analizador leerá después.",
  ),
  DUPPARAM: told(
    "Una parte cuyo `Content-Disposition`, o una cabecera cuyo parámetro, está dos veces.",
    "Un analizador toma el primer nombre y otro el último.",
  ),
  ENTITY: told(
    "Un cuerpo XML que declara una entidad.",
    "Las entidades externas leen ficheros; las anidadas llenan la memoria.",
  ),
  EXECEXT: told(
    "Un fichero cuyo nombre tiene una extensión ejecutable.",
    "Subido a un sitio donde el servidor lo ejecuta, es una shell.",
  ),
  JDUP: told(
    "Un objeto JSON tiene dos veces el mismo miembro.",
    "Un analizador toma el primero y otro el último.",
  ),
  JOPER: told(
    "Una clave que es un operador de consulta: `$ne`, `$gt`, `$where`.",
    "Convierte un valor en una condición de la base de datos.",
  ),
  MAGIC: told(
    "Un fichero cuyo contenido, por sus primeros bytes, no es del tipo de su extensión.",
    "Un programa vestido de imagen.",
  ),
  PROTO: told(
    "Una clave que alcanza el prototipo de los objetos: `__proto__`, `constructor.prototype`.",
    "Al mezclarla cambia todos los objetos de un servidor en JavaScript.",
  ),

  // privacy
  AUTHBASIC: told("Credenciales Basic.", "Una contraseña en cada petición."),
  AUTHBEARER: told("Credenciales Bearer.", "Quien llama tiene un token."),
  COOKIE: told("Cuántas cookies lleva una cabecera `Cookie`.", "Los navegadores llevan muchas; los scripts, pocas."),
  JWT: told("Un valor que es un JSON Web Token.", "Una credencial en un sitio que se registra."),
  USERINFO: told(
    "Credenciales en la URL.",
    "Una contraseña en los registros, o un host que se hace pasar por otro.",
  ),
};
